-- Which law the answers to an account applied, how many and until when: whom a correction concerns. No input is kept.
create table law_uses (
  folder  text    not null,
  version text    not null,
  account text    not null,
  calls   integer not null,
  day     integer not null,
  primary key (folder, version, account)
) strict, without rowid;
create index law_uses_day on law_uses (day);

-- The accounts whose owners asked for e-mails about corrections, and since when.
create table correction_readers (
  account text    not null primary key,
  since   integer not null
) strict, without rowid;

-- The e-mails about corrections: one for each rule set and account.
create table correction_letters (
  number  integer not null,
  account text    not null,
  sent    integer not null,
  primary key (number, account)
) strict, without rowid;
