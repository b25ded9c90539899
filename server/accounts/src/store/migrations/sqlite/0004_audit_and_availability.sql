-- What was done to a key: by whom, when, from where. It holds no key and no e-mail address of an owner.
create table audit_log (
  id      integer not null primary key,
  at      integer not null,
  actor   text    not null,
  action  text    not null,
  key     text    not null,
  account text    not null,
  origin  text    not null,
  detail  text    not null
) strict;
create index audit_log_at on audit_log (at);
create index audit_log_account on audit_log (account);

-- The minutes in which a node answered, with its calls and those that failed by a fault of the service.
create table served_minutes (
  day    integer not null,
  minute integer not null check (minute between 0 and 1439),
  calls  integer not null,
  failed integer not null,
  primary key (day, minute)
) strict, without rowid;

-- An owner finds his keys by his address.
create index api_keys_email on api_keys (lower(email));

-- What the link of a request is for, and the account that it concerns. Programs before this one ask for keys only.
alter table key_requests add column purpose text not null default 'key';
alter table key_requests add column account text;

-- The payment that a refund or a lost dispute takes back, as JSON; it is matched with its subscription again and again.
alter table payment_cases add column reversal text;
