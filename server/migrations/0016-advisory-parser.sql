-- By which parser a part's records were read: after an upgrade of the parser the part is read again as if for the first time.
alter table vulnerability_source_parts add column parser_version integer;
