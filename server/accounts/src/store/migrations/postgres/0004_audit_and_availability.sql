-- What was done to a key: by whom, when, from where. It holds no key and no e-mail address of an owner.
create table audit_log (
  id      bigint  not null generated always as identity primary key,
  at      bigint not null,
  actor   text    not null,
  action  text    not null,
  key     uuid    not null,
  account uuid    not null,
  origin  text    not null,
  detail  text    not null
);
create index audit_log_at on audit_log (at);
create index audit_log_account on audit_log (account);

-- The minutes in which a node answered, with its calls and those that failed by a fault of the service.
create table served_minutes (
  day    integer not null,
  minute integer not null check (minute between 0 and 1439),
  calls  bigint not null,
  failed bigint not null,
  primary key (day, minute)
);

-- An owner finds his keys by his address.
create index api_keys_email on api_keys (lower(email));

-- What the link of a request is for, and the account that it concerns. Programs before this one ask for keys only.
alter table key_requests add column purpose text not null default 'key';
alter table key_requests add column account uuid;

-- The payment that a refund or a lost dispute takes back, as JSON; it is matched with its subscription again and again.
alter table payment_cases add column reversal text;
