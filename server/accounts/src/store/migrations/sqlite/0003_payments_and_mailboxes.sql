-- How far a key is on its way to its owner, how often it was tried, and when it is tried again.
alter table api_keys add column delivery text not null default 'direct';
alter table api_keys add column attempts integer not null default 0;
alter table api_keys add column attempt_at integer;
create index api_keys_undelivered on api_keys (attempt_at) where delivery in ('due', 'sending');

-- What is known of a subscription at the payment provider, as JSON. `payment_events` was what earlier programs
-- remembered of events; it stays for those that still run.
create table subscriptions (
  id          text    not null primary key,
  facts       text    not null,
  version     integer not null,
  waits_since integer
) strict;
create index subscriptions_waiting on subscriptions (waits_since) where waits_since is not null;

-- What waits for a person.
create table payment_cases (
  id      text    not null primary key,
  kind    text    not null,
  detail  text    not null,
  opened  integer not null,
  settled integer not null default 0
) strict;

-- The mailbox whose one free key of the variant this is; a person writes it in many ways, here it has one.
alter table api_keys add column mailbox text;
create unique index api_keys_mailbox on api_keys (variant, mailbox);

-- Requests for free keys that wait for their mailbox to be confirmed, by the digest of what was sent to it.
create table key_requests (
  token   blob not null primary key check (length(token) = 32),
  email   text not null,
  variant text not null,
  created integer not null
) strict;
