-- The subscription at the payment provider that pays for a key, and whether it is renewed by itself; the days
-- before its end of the last notice that was sent.
alter table api_keys add column subscription text;
alter table api_keys add column renews boolean not null default false;
alter table api_keys add column noticed integer;
create index api_keys_subscription on api_keys (subscription);
create index api_keys_account on api_keys (account);

-- Calls answered; the total may hold calls that a node has reserved and not answered yet.
alter table daily_counts add column used bigint not null default 0 check (used >= 0);
update daily_counts set used = total;

-- Events of the payment provider, so that each is applied once.
create table payment_events (
  id      text    not null primary key,
  claimed bigint  not null,
  done    boolean not null default false
);
