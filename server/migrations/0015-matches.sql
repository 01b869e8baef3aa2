-- Neither packages nor vulnerabilities are ever deleted; checking each match would lock a row of both.
alter table package_matches
  drop constraint package_matches_package_id_fkey,
  drop constraint package_matches_vulnerability_id_fkey;
