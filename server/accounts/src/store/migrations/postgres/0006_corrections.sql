-- Which law the answers to an account applied, how many and until when: whom a correction concerns. No input is kept.
create table law_uses (
  folder  text    not null,
  version text    not null,
  account uuid    not null,
  calls   bigint  not null,
  day     integer not null,
  primary key (folder, version, account)
);
create index law_uses_day on law_uses (day);

-- The accounts whose owners asked for e-mails about corrections, and since when.
create table correction_readers (
  account uuid   not null primary key,
  since   bigint not null
);

-- The e-mails about corrections: one for each rule set and account.
create table correction_letters (
  number  bigint not null,
  account uuid   not null,
  sent    bigint not null,
  primary key (number, account)
);
