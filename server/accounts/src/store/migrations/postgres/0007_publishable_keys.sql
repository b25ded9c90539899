-- A publishable key: the name that its owner gave it, the origins that it is accepted from with a space between two, and
-- its daily limit. A secret key has none of them.
alter table api_keys add column page_label text;
alter table api_keys add column page_origins text;
alter table api_keys add column page_calls bigint;
