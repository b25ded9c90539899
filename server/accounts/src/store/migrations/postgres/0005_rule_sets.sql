-- The rule sets that came into force, each as its changes from the one before, and their files.
create table rule_sets (
  number    bigint not null primary key,
  published bigint not null,
  version   text   not null,
  program   text   not null,
  changes   text   not null
);

create table rule_files (
  digest  bytea not null primary key check (length(digest) = 32),
  content bytea not null
);
