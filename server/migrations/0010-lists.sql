-- What lists over a workspace page through.

-- By severity and score over all matches, so that a workspace's first rows are found without its other ones.
create index package_matches_worst on package_matches (
  array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], severity), coalesce(score, '-1'::real),
  vulnerability_id, package_id);
create index package_matches_score on package_matches (
  coalesce(score, '-1'::real), vulnerability_id, package_id);
drop index package_matches_vulnerability;
create index package_matches_vulnerability on package_matches (vulnerability_id, package_id);

-- Which firmware versions hold a package, the newest ones first, and since when: read without the rows.
drop index firmware_version_packages_package;
create index firmware_version_packages_package
  on firmware_version_packages (package_id, workspace_id, firmware_version_id) include (since, until);

create index finding_decisions_recheck on finding_decisions (workspace_id, package_id, vulnerability_id)
  where recheck_reason is not null;

create index vulnerabilities_known_exploit on vulnerabilities (id) where is_known_exploit;
