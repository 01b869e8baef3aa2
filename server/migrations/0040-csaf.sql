-- VEX documents of distributions (CSAF) are a source.
alter table vulnerability_sources drop constraint vulnerability_sources_source_check,
  add constraint vulnerability_sources_source_check
    check (source in ('cvelist', 'nvd', 'osv', 'csaf', 'kev', 'epss'));
alter table advisories drop constraint advisories_source_check,
  add constraint advisories_source_check check (source in ('cvelist', 'nvd', 'osv', 'csaf'));
