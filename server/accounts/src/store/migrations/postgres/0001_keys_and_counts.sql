-- A key is never here, only its digest. Moments are seconds since 1970, days are days since 1970.
create table api_keys (
  id        uuid   not null primary key,
  account   uuid   not null,
  digest    bytea  not null unique check (length(digest) = 32),
  last_four text   not null,
  variant   text   not null,
  plan      text   not null,
  email     text   not null,
  created   bigint not null,
  expires   bigint,
  revoked   bigint
);

-- A subject is an account, or the keyed hash of an address; the hash key of a day is its salt.
create table daily_counts (
  day     integer not null,
  subject bytea   not null check (length(subject) = 16),
  total   bigint  not null check (total >= 0),
  primary key (day, subject)
);

create table daily_salts (
  day  integer not null primary key,
  salt bytea   not null check (length(salt) = 64)
);
