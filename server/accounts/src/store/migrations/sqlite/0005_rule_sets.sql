-- The rule sets that came into force, each as its changes from the one before, and their files.
create table rule_sets (
  number    integer not null primary key,
  published integer not null,
  version   text    not null,
  program   text    not null,
  changes   text    not null
) strict;

create table rule_files (
  digest  blob not null primary key check (length(digest) = 32),
  content blob not null
) strict, without rowid;
