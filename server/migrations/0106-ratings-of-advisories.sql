-- Advisories may state a score and a weakness of each vulnerability. Those that were written before state none.
update security_advisories
set content = jsonb_set(content, '{vulnerabilities}', (
  select coalesce(jsonb_agg('{"cvssVector": null, "cweId": null}'::jsonb || one order by place), '[]')
  from jsonb_array_elements(content -> 'vulnerabilities') with ordinality as written (one, place)));
