-- What a vulnerability is called besides its id; most have no other name.
create index vulnerability_aliases_others on vulnerability_aliases (vulnerability_id, alias)
  where alias <> vulnerability_id;
