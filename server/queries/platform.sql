-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/backup/catalogue.ts addForeignKeys: the shortest and the longest of many variants
--   044a2aa1 04c1a24c 09788a01 0a45ec2d 0a5268eb 0ad254b5 0b440ee9 0be22c2a 107f7c45 11a1d4c0
--   1204fcd8 1284c827 12ac30a5 13b2de03 13fe154b 156b1d92 167b9638 178e9ee5 1a3345a5 1b17b4c3
--   1ca4aad8 1d423f59 1dfc0540 2095ce02 210fbef7 23081e95 238982a9 24facf03 25228ecd 26680fe3
--   271f85bc 27d4eac6 28af2878 29020b4a 2941b610 2ad160e2 2d1a4115 2d345f66 2d3618ef 2ed376ac
--   2f1e38dc 32eb3552 33e7890e 350568c6 35c2ffd0 3722e206 3c9b8b5a 3f072b12 4067d039 42f061bc
--   44053d56 4722299d 47d73ff8 49477919 4acd5c01 4ce9c99a 4e8ed245 4f75b0ef 4f856810 52cf9787
--   536e3c96 53dab159 547e5f08 54e1d1da 564dc7fa 5708adea 57231f26 57eb9197 58b48d46 5cfdac34
--   5dcba497 5e1a6b73 5e6cdedf 5fd782d1 60d94678 6111dda4 61d7f849 63d3cc43 64df0c53 65d1d612
--   66d00e14 676fe86d 6839ed89 68e6d087 69405b45 6a397099 6aab4b71 6b116797 6b1fa4d0 6b6faec9
--   6c37c284 6d5a104d 6db9a38a 6f9ddea3 70ac13a4 71305828 73f7878a 763172b3 77673835 79a36686
--   7b2ea17e 7ceb5ac7 7d469669 7e2db269 812d8f71 81531f83 82d0fc5c 858a1463 85dca785 86b40330
--   86bb026a 8767dfae 880cb650 89ace8f1 8af8e1ea 8c50b80c 8dda8a63 8f071e7f 90c6a15a 9105dd55
--   956455a8 96dcbd08 987d6c25 9d268bb6 9d5a926e 9e524d83 9e8effa3 9fcd91aa 9fd56feb a260765b
--   a36dc50f a3c3f065 a567bb12 a595166d a679f254 a74716b0 a9ba50fa ac4f0562 ad4e05a9 ad9bc1d1
--   af573ba2 b0c163ac b135e920 b5483153 bc181783 bf62c2a3 c0d74f22 c13da57d c2588b02 c46d26e3
--   c9677baf cb302ea4 cbf28281 cdc53450 ceb6ac17 cf3ca108 cf4c4124 cfb8fd99 d07154f7 d1c677d5
--   d1fa4679 d2ce4cb5 d2d8b324 d43ed14b d4e86eda d7d641e1 d91940b9 dc3c504a dccfb980 dd428b64
--   de93702c df6b3cee dfd0a18f e014a593 e11e56e8 e135501f e1b5760b e1d8cc51 e45d877b e4717446
--   e5f4a5ab e65980c6 e6da6e8b e722caa6 eb08d72e eb9c3a5c ebc1929b f132b383 f163a453 f1af3a47
--   f2f21071 f3df065e f5bb1ecf f5f41f5a f648d866 f66b5e2b f7699ec0 fb744e53 fc865e31 fe792683
--   fea2e178 fed51e23 ff884a64
alter table api_keys add constraint api_keys_person_id_fkey foreign key (person_id) references
  people(id) on
delete cascade;

alter table device_configuration_change_devices add constraint
  device_configuration_change_devices_workspace_id_change_id_fkey foreign key (
    workspace_id, change_id
  ) references device_configuration_changes(workspace_id, id) on
delete cascade;

-- server/src/backup/catalogue.ts createPartition: the shortest and the longest of many variants
--   18e4dad2 874ec0fc bfd57e4b cc64415f e94ed4aa fdcecec0
create table public.device_logs_day partition of public.device_logs for
values
from ('day') to ('day');

create table public.device_log_stretches_day partition of public.device_log_stretches for
values
from ('day') to ('day');

-- server/src/backup/catalogue.ts dropForeignKeys: the shortest and the longest of many variants
--   00489daa 0118d81f 03261e5e 05d849f6 0618c0da 098cb9fd 09fdf3b2 0a3ef89a 0a648ffa 0e4810e5
--   0f36a76e 111225a8 12f9d852 14b3573e 16f4a8c1 17f3a6f8 18109f0b 185d906b 1acba99c 1b5362e7
--   1b7849a7 1f67e120 2138fd2a 21ab133f 229abf5f 22a31c15 23648b44 2523c8ab 252e2fe6 2589e960
--   262f33a1 26b4dea4 26ce4cb6 2863d5a0 2ae4514d 2af57162 2bc754c6 2c2283c1 2cb8cfbc 2d3701b0
--   2dee6e49 32020761 366dd0a5 36b3d5d8 37463e76 38e9c516 39183100 3b95fe99 3cade669 4004b86d
--   402cee9b 41fce2de 42f00d8a 46849286 46870902 47b57f92 4912bdad 4a55156b 4aa90927 4bf21ede
--   4c1cb730 4c8df9eb 4d5696bf 5054f058 50bcd7f8 51e85a85 52fcde73 54c18117 54d7e584 550480ae
--   55403bd3 57326913 57f87c6f 5dab70d8 5e339caf 5eb1d3d6 603dfe9a 620a2420 62e9cbcf 65225829
--   654b25c9 6574f56e 663735a2 66c37c52 67269906 681616ac 69f7b7c6 6a881c51 6adfc840 6af46f26
--   6c20511b 6ccddb71 6cdb9d36 6cfcc0bb 6d886283 6dfe93e4 6ec879e6 6ecd593e 6fce959a 6ff58341
--   706aa108 76e15fc6 78689074 7a3974b4 7ec38dc9 7fad6d22 80dda999 810fafc6 82e427e1 83b018fb
--   85e64b31 85fd6a0c 88af42a9 894f1693 89889e10 8df7ed81 8f10902f 923c9a5b 94809c01 9778a80a
--   9868b357 98ebfbbf 9e1a2217 9f224136 9f974e00 a3206d10 a612e02a a6283ea6 a7105ac0 a7c7ffe1
--   a82b51f3 a85f6161 ab64466f af959a7e b0ee61c3 b499eeaa b4a6e23e b7b6adfd b7f22103 bab48d4c
--   bae98296 bb938254 be51f209 be943b39 c4c6dff6 c57a0316 c5acd8de c62337e6 c795f9d6 c95f8264
--   ca1bffc6 cc3e0e42 cc6997e8 ccecac92 cd7e3e44 ceaeeaee cf84803c cf9d79a6 cfc92318 d1272dd2
--   d1e93c5d d3266386 d41e2761 d4b59868 d6ba5c97 d6cc8ed9 d7422c8a d93dd339 d96080b4 d9778411
--   d9babd4b db7b2e47 dbf88c60 dc4bd542 dddafb5c de920c11 df6a748d dfaddc4f e20db3ac e45c7e69
--   e71020a5 e73f085a e9f37693 edbedfa0 edd956d6 eee7bf6f efbe8303 f0949449 f108ffba f13fa5b4
--   f1f6a784 f31b016a f35e92a5 f38bc6da f700e159 f7aaf876 f867f1e7 f910799a f9ad8611 f9e400e7
--   fb26b000 fbb676d1 fddae406 ff33339b
alter table cases drop constraint cases_workspace_id_fkey;

select conrelid::regclass::text as table, conname::text as name,
  pg_get_constraintdef(oid) as definition
from pg_constraint
where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace
order by 1, 2;

-- server/src/backup/catalogue.ts isEmpty
select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') limit 1;

-- server/src/backup/catalogue.ts listPartitions
select child.relname::text as name, parent.relname::text as parent,
  pg_get_expr(child.relpartbound, child.oid) as bound
from pg_inherits
join pg_class as child on child.oid = inhrelid
join pg_class as parent on parent.oid = inhparent
where child.relnamespace = 'public'::regnamespace and child.relispartition and child.relkind = 'r'
order by child.relname;

-- server/src/backup/catalogue.ts listSequences
select last_value::text as value, is_called as "isCalled" from public.knowledge_revision;

-- server/src/backup/catalogue.ts listSequences
select last_value::text as value, is_called as "isCalled" from public.metric_series_id_seq;

-- server/src/backup/catalogue.ts listSequences
select last_value::text as value, is_called as "isCalled" from public.device_presence_changes_id_seq;

-- server/src/backup/catalogue.ts listSequences
select relname::text as name
from pg_class
where relnamespace = 'public'::regnamespace and relkind = 'S'
order by relname;

-- server/src/backup/catalogue.ts listTables
select class.relname::text as name, array_agg(attname::text order by attnum) as columns
from pg_class as class
join pg_attribute on attrelid = class.oid
where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'
  and relname <> all('{schema_migrations,left_out_foreign_keys,changed_days}') and attnum > 0
  and not attisdropped and attgenerated = ''
group by class.oid, class.relname
order by class.relname;

-- server/src/backup/catalogue.ts lockTables
lock table only public.acceptance_notices, public.advisories, public.advisory_affected,
  public.advisory_linked_ids, public.advisory_mails, public.advisory_parts,
  public.advisory_publishers, public.advisory_records, public.advisory_vulnerabilities,
  public.alert_evaluations, public.alert_incident_batches, public.alert_incidents,
  public.alert_rule_targets, public.alert_rules, public.alert_running_versions, public.alert_series,
  public.alert_silences, public.api_keys, public.artifact_addresses, public.artifact_signatures,
  public.audit_log, public.audit_seals, public.audit_subjects, public.backup_state,
  public.case_facts, public.case_lines, public.case_versions, public.cases, public.clock,
  public.cohort_contacts, public.complete_ecosystems, public.crash_builds, public.crash_counts,
  public.crash_device_days, public.crash_device_hours, public.crash_devices,
  public.crash_group_days, public.crash_group_totals, public.crash_groups, public.crash_lines,
  public.crash_reports, public.crash_stacks, public.crash_version_days, public.crash_versions,
  public.customer_cohorts, public.customer_devices, public.customers, public.ddi_devices,
  public.decision_batches, public.decision_proposals, public.decision_runs, public.deleted_devices,
  public.delivery_attempts, public.deployment_artifacts, public.deployment_cohorts,
  public.deployment_comparisons, public.deployments, public.device_batch_devices,
  public.device_batches, public.device_configuration_change_devices,
  public.device_configuration_changes, public.device_firmwares, public.device_image_counts,
  public.device_issuer_keys, public.device_issuers, public.device_key_rotations, public.device_keys,
  public.device_log_stretches_default, public.device_log_unread_hours, public.device_logs_default,
  public.device_presence_changes, public.device_revocations, public.device_run_sequences,
  public.device_updates, public.devices, public.disclosure_policies,
  public.disclosure_report_events, public.disclosure_report_mails, public.disclosure_reports,
  public.disclosures, public.epss_scores, public.eu_exploited_entries, public.evidence_keys,
  public.figure_case_days, public.finding_decisions, public.finding_owner_notices,
  public.finding_timeline, public.firmware_artifact_uploads, public.firmware_artifacts,
  public.firmware_lines, public.firmware_role_artifacts, public.firmware_set_daily_devices,
  public.firmware_set_device_counts, public.firmware_version_counters,
  public.firmware_version_daily_counters, public.firmware_version_device_counts,
  public.firmware_version_licences, public.firmware_version_package_successors,
  public.firmware_version_packages, public.firmware_version_urgency, public.firmware_versions,
  public.firmwares, public.former_remediation_targets, public.gateways, public.idempotency_keys,
  public.image_facts, public.invitations, public.kev_entries, public.knowledge_changes,
  public.known_distributions, public.licence_rules, public.line_decisions, public.mail_counts,
  public.members, public.metric_hours_default, public.metric_overflows,
  public.metric_packed_days_default, public.metric_packed_hours_default, public.metric_packing,
  public.metric_points_default, public.metric_series, public.muted_proposal_mails, public.nodes,
  public.notification_addresses, public.notification_target_addresses, public.notification_targets,
  public.notifications, public.obligation_notes, public.one_time_links, public.owner_rules,
  public.owner_team_members, public.owner_teams, public.package_keys, public.package_match_evidence,
  public.package_matches, public.package_override_revisions, public.package_overrides,
  public.package_support, public.package_undecided, public.packages, public.passkey_challenges,
  public.passkeys, public.people, public.person_identities, public.product_line_firmwares,
  public.product_lines, public.proposal_mails, public.provenance_statements, public.recovery_codes,
  public.replaced_sboms, public.saved_views, public.sbom_components, public.sbom_graph_nodes,
  public.sbom_signature_facts, public.sbom_signatures, public.sboms, public.secrets,
  public.security_advisories, public.security_advisory_revisions, public.sessions,
  public.shared_links, public.sign_in_attempts, public.source_file_lists, public.source_imports,
  public.ssvc_settings, public.ssvc_trees, public.standing_decisions, public.supplier_documents,
  public.supplier_feeds, public.support_cycles, public.support_product_keys,
  public.support_product_states, public.support_products, public.support_statement_packages,
  public.support_statements, public.terminal_logins, public.totp_secrets, public.trusted_keys,
  public.unwanted_advisory_mails, public.upstream_reports, public.vex_documents,
  public.vex_publications, public.vex_statement_targets, public.vex_statements,
  public.vulnerabilities, public.vulnerability_aliases, public.vulnerability_assignees,
  public.vulnerability_comments, public.vulnerability_partings, public.vulnerability_source_parts,
  public.vulnerability_sources, public.vulnerability_watches, public.webhooks, public.weekly_mails,
  public.workspace_component_vulnerabilities, public.workspace_decisions,
  public.workspace_kept_locks, public.workspace_licences, public.workspace_limits,
  public.workspace_matches, public.workspace_package_versions, public.workspace_packages,
  public.workspace_usage, public.workspace_usage_windows, public.workspace_versions,
  public.workspaces in access share mode;

-- server/src/backup/catalogue.ts lockTables
lock table only public.acceptance_notices, public.advisories, public.advisory_affected,
  public.advisory_linked_ids, public.advisory_mails, public.advisory_parts,
  public.advisory_publishers, public.advisory_records, public.advisory_vulnerabilities,
  public.alert_evaluations, public.alert_incident_batches, public.alert_incidents,
  public.alert_rule_targets, public.alert_rules, public.alert_running_versions, public.alert_series,
  public.alert_silences, public.api_keys, public.artifact_addresses, public.artifact_signatures,
  public.audit_log, public.audit_seals, public.audit_subjects, public.backup_state,
  public.case_facts, public.case_lines, public.case_versions, public.cases, public.clock,
  public.cohort_contacts, public.complete_ecosystems, public.crash_builds, public.crash_counts,
  public.crash_device_days, public.crash_device_hours, public.crash_devices,
  public.crash_group_days, public.crash_group_totals, public.crash_groups, public.crash_lines,
  public.crash_reports, public.crash_stacks, public.crash_version_days, public.crash_versions,
  public.customer_cohorts, public.customer_devices, public.customers, public.ddi_devices,
  public.decision_batches, public.decision_proposals, public.decision_runs, public.deleted_devices,
  public.delivery_attempts, public.deployment_artifacts, public.deployment_cohorts,
  public.deployment_comparisons, public.deployments, public.device_batch_devices,
  public.device_batches, public.device_configuration_change_devices,
  public.device_configuration_changes, public.device_firmwares, public.device_image_counts,
  public.device_issuer_keys, public.device_issuers, public.device_key_rotations, public.device_keys,
  public.device_log_stretches_default, public.device_log_unread_hours, public.device_logs_default,
  public.device_presence_changes, public.device_revocations, public.device_run_sequences,
  public.device_updates, public.devices, public.disclosure_policies,
  public.disclosure_report_events, public.disclosure_report_mails, public.disclosure_reports,
  public.disclosures, public.epss_scores, public.eu_exploited_entries, public.evidence_keys,
  public.figure_case_days, public.finding_decisions, public.finding_owner_notices,
  public.finding_timeline, public.firmware_artifact_uploads, public.firmware_artifacts,
  public.firmware_lines, public.firmware_role_artifacts, public.firmware_set_daily_devices,
  public.firmware_set_device_counts, public.firmware_version_counters,
  public.firmware_version_daily_counters, public.firmware_version_device_counts,
  public.firmware_version_licences, public.firmware_version_package_successors,
  public.firmware_version_packages, public.firmware_version_urgency, public.firmware_versions,
  public.firmwares, public.former_remediation_targets, public.gateways, public.idempotency_keys,
  public.image_facts, public.invitations, public.kev_entries, public.knowledge_changes,
  public.known_distributions, public.licence_rules, public.line_decisions, public.mail_counts,
  public.members, public.metric_hours_default, public.metric_overflows,
  public.metric_packed_days_default, public.metric_packed_hours_default, public.metric_packing,
  public.metric_points_day, public.metric_points_default, public.metric_series,
  public.muted_proposal_mails, public.nodes, public.notification_addresses,
  public.notification_target_addresses, public.notification_targets, public.notifications,
  public.obligation_notes, public.one_time_links, public.owner_rules, public.owner_team_members,
  public.owner_teams, public.package_keys, public.package_match_evidence, public.package_matches,
  public.package_override_revisions, public.package_overrides, public.package_support,
  public.package_undecided, public.packages, public.passkey_challenges, public.passkeys,
  public.people, public.person_identities, public.product_line_firmwares, public.product_lines,
  public.proposal_mails, public.provenance_statements, public.recovery_codes, public.replaced_sboms,
  public.saved_views, public.sbom_components, public.sbom_graph_nodes, public.sbom_signature_facts,
  public.sbom_signatures, public.sboms, public.secrets, public.security_advisories,
  public.security_advisory_revisions, public.sessions, public.shared_links, public.sign_in_attempts,
  public.source_file_lists, public.source_imports, public.ssvc_settings, public.ssvc_trees,
  public.standing_decisions, public.supplier_documents, public.supplier_feeds,
  public.support_cycles, public.support_product_keys, public.support_product_states,
  public.support_products, public.support_statement_packages, public.support_statements,
  public.terminal_logins, public.totp_secrets, public.trusted_keys, public.unwanted_advisory_mails,
  public.upstream_reports, public.vex_documents, public.vex_publications,
  public.vex_statement_targets, public.vex_statements, public.vulnerabilities,
  public.vulnerability_aliases, public.vulnerability_assignees, public.vulnerability_comments,
  public.vulnerability_partings, public.vulnerability_source_parts, public.vulnerability_sources,
  public.vulnerability_watches, public.webhooks, public.weekly_mails,
  public.workspace_component_vulnerabilities, public.workspace_decisions,
  public.workspace_kept_locks, public.workspace_licences, public.workspace_limits,
  public.workspace_matches, public.workspace_package_versions, public.workspace_packages,
  public.workspace_usage, public.workspace_usage_windows, public.workspace_versions,
  public.workspaces in access share mode;

-- server/src/backup/catalogue.ts lockTables
lock table only public.acceptance_notices, public.advisories, public.advisory_affected,
  public.advisory_linked_ids, public.advisory_mails, public.advisory_parts,
  public.advisory_publishers, public.advisory_records, public.advisory_vulnerabilities,
  public.alert_evaluations, public.alert_incident_batches, public.alert_incidents,
  public.alert_rule_targets, public.alert_rules, public.alert_running_versions, public.alert_series,
  public.alert_silences, public.api_keys, public.artifact_addresses, public.artifact_signatures,
  public.audit_log, public.audit_seals, public.audit_subjects, public.backup_state,
  public.case_facts, public.case_lines, public.case_versions, public.cases, public.clock,
  public.cohort_contacts, public.complete_ecosystems, public.crash_builds, public.crash_counts,
  public.crash_device_days, public.crash_device_hours, public.crash_devices,
  public.crash_group_days, public.crash_group_totals, public.crash_groups, public.crash_lines,
  public.crash_reports, public.crash_stacks, public.crash_version_days, public.crash_versions,
  public.customer_cohorts, public.customer_devices, public.customers, public.ddi_devices,
  public.decision_batches, public.decision_proposals, public.decision_runs, public.deleted_devices,
  public.delivery_attempts, public.deployment_artifacts, public.deployment_cohorts,
  public.deployment_comparisons, public.deployments, public.device_batch_devices,
  public.device_batches, public.device_configuration_change_devices,
  public.device_configuration_changes, public.device_firmwares, public.device_image_counts,
  public.device_issuer_keys, public.device_issuers, public.device_key_rotations, public.device_keys,
  public.device_log_stretches_default, public.device_log_unread_hours, public.device_logs_default,
  public.device_presence_changes, public.device_revocations, public.device_run_sequences,
  public.device_updates, public.devices, public.disclosure_policies,
  public.disclosure_report_events, public.disclosure_report_mails, public.disclosure_reports,
  public.disclosures, public.epss_scores, public.eu_exploited_entries, public.evidence_keys,
  public.figure_case_days, public.finding_decisions, public.finding_owner_notices,
  public.finding_timeline, public.firmware_artifact_uploads, public.firmware_artifacts,
  public.firmware_lines, public.firmware_role_artifacts, public.firmware_set_daily_devices,
  public.firmware_set_device_counts, public.firmware_version_counters,
  public.firmware_version_daily_counters, public.firmware_version_device_counts,
  public.firmware_version_licences, public.firmware_version_package_successors,
  public.firmware_version_packages, public.firmware_version_urgency, public.firmware_versions,
  public.firmwares, public.former_remediation_targets, public.gateways, public.idempotency_keys,
  public.image_facts, public.invitations, public.kev_entries, public.knowledge_changes,
  public.known_distributions, public.licence_rules, public.line_decisions, public.mail_counts,
  public.members, public.metric_hours_default, public.metric_overflows,
  public.metric_packed_days_day, public.metric_packed_days_day, public.metric_packed_days_default,
  public.metric_packed_hours_default, public.metric_packing, public.metric_points_default,
  public.metric_series, public.muted_proposal_mails, public.nodes, public.notification_addresses,
  public.notification_target_addresses, public.notification_targets, public.notifications,
  public.obligation_notes, public.one_time_links, public.owner_rules, public.owner_team_members,
  public.owner_teams, public.package_keys, public.package_match_evidence, public.package_matches,
  public.package_override_revisions, public.package_overrides, public.package_support,
  public.package_undecided, public.packages, public.passkey_challenges, public.passkeys,
  public.people, public.person_identities, public.product_line_firmwares, public.product_lines,
  public.proposal_mails, public.provenance_statements, public.recovery_codes, public.replaced_sboms,
  public.saved_views, public.sbom_components, public.sbom_graph_nodes, public.sbom_signature_facts,
  public.sbom_signatures, public.sboms, public.secrets, public.security_advisories,
  public.security_advisory_revisions, public.sessions, public.shared_links, public.sign_in_attempts,
  public.source_file_lists, public.source_imports, public.ssvc_settings, public.ssvc_trees,
  public.standing_decisions, public.supplier_documents, public.supplier_feeds,
  public.support_cycles, public.support_product_keys, public.support_product_states,
  public.support_products, public.support_statement_packages, public.support_statements,
  public.terminal_logins, public.totp_secrets, public.trusted_keys, public.unwanted_advisory_mails,
  public.upstream_reports, public.vex_documents, public.vex_publications,
  public.vex_statement_targets, public.vex_statements, public.vulnerabilities,
  public.vulnerability_aliases, public.vulnerability_assignees, public.vulnerability_comments,
  public.vulnerability_partings, public.vulnerability_source_parts, public.vulnerability_sources,
  public.vulnerability_watches, public.webhooks, public.weekly_mails,
  public.workspace_component_vulnerabilities, public.workspace_decisions,
  public.workspace_kept_locks, public.workspace_licences, public.workspace_limits,
  public.workspace_matches, public.workspace_package_versions, public.workspace_packages,
  public.workspace_usage, public.workspace_usage_windows, public.workspace_versions,
  public.workspaces in access share mode;

-- server/src/backup/catalogue.ts setSequence
select setval($1::regclass, $2, $3);

-- server/src/backup/catalogue.ts truncateTables
truncate public.advisories, public.advisory_affected, public.advisory_linked_ids,
  public.advisory_parts, public.advisory_records, public.advisory_vulnerabilities,
  public.alert_evaluations, public.alert_incidents, public.alert_rule_targets, public.alert_rules,
  public.alert_running_versions, public.alert_series, public.api_keys, public.audit_log,
  public.backup_state, public.complete_ecosystems, public.ddi_devices, public.deleted_devices,
  public.delivery_attempts, public.deployment_artifacts, public.deployment_cohorts,
  public.deployments, public.device_configuration_change_devices,
  public.device_configuration_changes, public.device_firmwares, public.device_keys,
  public.device_log_stretches_default, public.device_log_unread_hours, public.device_logs_default,
  public.device_run_sequences, public.device_updates, public.devices, public.epss_scores,
  public.eu_exploited_entries, public.finding_decisions, public.finding_timeline,
  public.firmware_artifact_uploads, public.firmware_artifacts, public.firmware_set_daily_devices,
  public.firmware_set_device_counts, public.firmware_version_counters,
  public.firmware_version_daily_counters, public.firmware_version_device_counts,
  public.firmware_version_package_successors, public.firmware_version_packages,
  public.firmware_versions, public.firmwares, public.gateways, public.idempotency_keys,
  public.invitations, public.kev_entries, public.knowledge_changes, public.known_distributions,
  public.members, public.metric_hours_default, public.metric_overflows,
  public.metric_packed_hours_default, public.metric_packing, public.metric_points_default,
  public.metric_series, public.nodes, public.notification_addresses,
  public.notification_target_addresses, public.notification_targets, public.notifications,
  public.one_time_links, public.package_keys, public.package_match_evidence, public.package_matches,
  public.package_override_revisions, public.package_overrides, public.package_undecided,
  public.packages, public.passkey_challenges, public.passkeys, public.people,
  public.person_identities, public.recovery_codes, public.replaced_sboms, public.sbom_components,
  public.sbom_graph_nodes, public.sboms, public.secrets, public.sessions, public.sign_in_attempts,
  public.source_file_lists, public.source_imports, public.standing_decisions,
  public.terminal_logins, public.totp_secrets, public.vex_documents, public.vex_statement_targets,
  public.vex_statements, public.vulnerabilities, public.vulnerability_aliases,
  public.vulnerability_partings, public.vulnerability_source_parts, public.vulnerability_sources,
  public.webhooks, public.weekly_mails, public.workspace_component_vulnerabilities,
  public.workspace_decisions, public.workspace_kept_locks, public.workspace_limits,
  public.workspace_matches, public.workspace_package_versions, public.workspace_packages,
  public.workspace_usage, public.workspace_usage_windows, public.workspace_versions,
  public.workspaces;

-- server/src/backup/catalogue.ts truncateTables
truncate public.acceptance_notices, public.advisories, public.advisory_affected,
  public.advisory_linked_ids, public.advisory_mails, public.advisory_parts,
  public.advisory_publishers, public.advisory_records, public.advisory_vulnerabilities,
  public.alert_evaluations, public.alert_incident_batches, public.alert_incidents,
  public.alert_rule_targets, public.alert_rules, public.alert_running_versions, public.alert_series,
  public.alert_silences, public.api_keys, public.artifact_addresses, public.artifact_signatures,
  public.audit_log, public.audit_seals, public.audit_subjects, public.backup_state,
  public.case_facts, public.case_lines, public.case_versions, public.cases, public.clock,
  public.cohort_contacts, public.complete_ecosystems, public.crash_builds, public.crash_counts,
  public.crash_device_days, public.crash_device_hours, public.crash_devices,
  public.crash_group_days, public.crash_group_totals, public.crash_groups, public.crash_lines,
  public.crash_reports, public.crash_stacks, public.crash_version_days, public.crash_versions,
  public.customer_cohorts, public.customer_devices, public.customers, public.ddi_devices,
  public.decision_batches, public.decision_proposals, public.decision_runs, public.deleted_devices,
  public.delivery_attempts, public.deployment_artifacts, public.deployment_cohorts,
  public.deployment_comparisons, public.deployments, public.device_batch_devices,
  public.device_batches, public.device_configuration_change_devices,
  public.device_configuration_changes, public.device_firmwares, public.device_image_counts,
  public.device_issuer_keys, public.device_issuers, public.device_key_rotations, public.device_keys,
  public.device_log_stretches_default, public.device_log_unread_hours, public.device_logs_default,
  public.device_presence_changes, public.device_revocations, public.device_run_sequences,
  public.device_updates, public.devices, public.disclosure_policies,
  public.disclosure_report_events, public.disclosure_report_mails, public.disclosure_reports,
  public.disclosures, public.epss_scores, public.eu_exploited_entries, public.evidence_keys,
  public.figure_case_days, public.finding_decisions, public.finding_owner_notices,
  public.finding_timeline, public.firmware_artifact_uploads, public.firmware_artifacts,
  public.firmware_lines, public.firmware_role_artifacts, public.firmware_set_daily_devices,
  public.firmware_set_device_counts, public.firmware_version_counters,
  public.firmware_version_daily_counters, public.firmware_version_device_counts,
  public.firmware_version_licences, public.firmware_version_package_successors,
  public.firmware_version_packages, public.firmware_version_urgency, public.firmware_versions,
  public.firmwares, public.former_remediation_targets, public.gateways, public.idempotency_keys,
  public.image_facts, public.invitations, public.kev_entries, public.knowledge_changes,
  public.known_distributions, public.licence_rules, public.line_decisions, public.mail_counts,
  public.members, public.metric_hours_default, public.metric_overflows,
  public.metric_packed_days_default, public.metric_packed_hours_default, public.metric_packing,
  public.metric_points_default, public.metric_series, public.muted_proposal_mails, public.nodes,
  public.notification_addresses, public.notification_target_addresses, public.notification_targets,
  public.notifications, public.obligation_notes, public.one_time_links, public.owner_rules,
  public.owner_team_members, public.owner_teams, public.package_keys, public.package_match_evidence,
  public.package_matches, public.package_override_revisions, public.package_overrides,
  public.package_support, public.package_undecided, public.packages, public.passkey_challenges,
  public.passkeys, public.people, public.person_identities, public.product_line_firmwares,
  public.product_lines, public.proposal_mails, public.provenance_statements, public.recovery_codes,
  public.replaced_sboms, public.saved_views, public.sbom_components, public.sbom_graph_nodes,
  public.sbom_signature_facts, public.sbom_signatures, public.sboms, public.secrets,
  public.security_advisories, public.security_advisory_revisions, public.sessions,
  public.shared_links, public.sign_in_attempts, public.source_file_lists, public.source_imports,
  public.ssvc_settings, public.ssvc_trees, public.standing_decisions, public.supplier_documents,
  public.supplier_feeds, public.support_cycles, public.support_product_keys,
  public.support_product_states, public.support_products, public.support_statement_packages,
  public.support_statements, public.terminal_logins, public.totp_secrets, public.trusted_keys,
  public.unwanted_advisory_mails, public.upstream_reports, public.vex_documents,
  public.vex_publications, public.vex_statement_targets, public.vex_statements,
  public.vulnerabilities, public.vulnerability_aliases, public.vulnerability_assignees,
  public.vulnerability_comments, public.vulnerability_partings, public.vulnerability_source_parts,
  public.vulnerability_sources, public.vulnerability_watches, public.webhooks, public.weekly_mails,
  public.workspace_component_vulnerabilities, public.workspace_decisions,
  public.workspace_kept_locks, public.workspace_licences, public.workspace_limits,
  public.workspace_matches, public.workspace_package_versions, public.workspace_packages,
  public.workspace_usage, public.workspace_usage_windows, public.workspace_versions,
  public.workspaces;

-- server/src/backup/closed-days.ts measureRows
copy public.metric_packed_days_day (workspace_id, series_id, "time", sums) to stdout (format binary);

-- server/src/backup/closed-days.ts measureRows
copy public.metric_packed_days_day (workspace_id, series_id, "time", sums, note) to stdout (
  format binary
);

-- server/src/backup/closed-days.ts measureRows
copy public.metric_points_day (workspace_id, series_id, "time", sum, count, min, max, device_time)
  to stdout (format binary);

-- server/src/backup/database-session.ts withSession
set synchronize_seqscans = off;

-- server/src/backup/database-session.ts withSession
select set_config(name, '0', false)
from pg_settings
where name in (
  'statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout',
    'idle_session_timeout'
);

-- server/src/backup/day-marks.ts canMark
select to_regclass('public.changed_days') is not null as can;

-- server/src/backup/day-marks.ts listDayMarks
select relname::text as name,
  substring(encode(tgargs, 'escape') for 36) || '-' || pg_trigger.xmin || '-' || pg_class.xmin as
  mark
from pg_trigger
join pg_class on pg_class.oid = tgrelid
where tgname = 'day_mark' and relnamespace = 'public'::regnamespace and tgenabled = 'A'
  and not exists (
    select from public.changed_days where mark = substring(encode(tgargs, 'escape') for 36)
  );

-- server/src/backup/day-marks.ts markDay: the shortest and the longest of many variants
--   132a43f5 14233d47 1ff8867c 23621b85 35e6a986 3a932025 3cbe3632 3ece22c9 4a796646 575a6b33
--   5ce91af3 5e15ce3f 6ad53a03 6dc47af8 7fb37b9d 8b3f78ff 97eedc32 9e44cdff a4e30237 ae6c3584
--   b10a5084 b3ad1bc9 c0f67a1c d0fd75eb dbc6e35d ee96f07c
set local lock_timeout = '1s';

create or replace trigger day_mark after
insert or
update or
delete on public.metric_packed_days_day for each row execute function public.note_changed_day(
  'ee7db789-5f6e-43e6-91c9-b5f7cf9d6aa6'
);

-- server/src/backup/day-marks.ts markDays
delete from public.changed_days
where mark not in (
  select substring(encode(tgargs, 'escape') for 36) from pg_trigger where tgname = $1
);

-- server/src/backup/jobs.ts createJobTable
create temporary table restored_jobs (
  id uuid, name text, data jsonb, priority integer, start_after timestamptz, created_on timestamptz
) on commit drop;

-- server/src/backup/jobs.ts enqueueRestored
select count(*)::int as count from restored_jobs where name not in (select name from pgboss.queue);

-- server/src/backup/jobs.ts enqueueRestored
insert into pgboss.job (
  id, name, data, priority, start_after, created_on, keep_until, policy, dead_letter,
    expire_seconds, deletion_seconds, heartbeat_seconds, retry_limit, retry_delay, retry_backoff,
    retry_delay_max
)
select job.id, job.name, job.data, job.priority, greatest(job.start_after, now()), job.created_on,
  greatest(job.start_after, now()) + queue.retention_seconds * interval '1 second', queue.policy,
  queue.dead_letter, queue.expire_seconds, queue.deletion_seconds, queue.heartbeat_seconds,
  queue.retry_limit, queue.retry_delay, queue.retry_backoff, queue.retry_delay_max
from restored_jobs as job
join pgboss.queue as queue on queue.name = job.name;

-- server/src/backup/jobs.ts hasQueue
select to_regclass('pgboss.job') is not null as "isThere";

-- server/src/backup/restore-backup.ts bringUpToDate
analyze;

-- server/src/backup/restore-backup.ts copyRows: the shortest and the longest of many variants
--   04e7d539 04f24ab8 059fa11e 0c6cbd46 0d6f5340 0e090189 0e960dc1 12547115 1c235c30 1cc6dae6
--   20fe58a7 2241fdac 2253fd73 26735986 269b3b3d 27bd38e5 2a3c9552 2c84c392 2d00ba9e 2de3fc5e
--   30236791 31fc042b 33652c4f 34d18529 363496e3 4a0bd4bf 51be1362 52b4b3fe 54fb41b8 5755bf00
--   588f602a 5cfe152e 6286db02 65d11c5b 6817c8c9 6c0a151b 6d4bb424 6d84ed55 6e620376 6fdaf006
--   6feecc4d 70ec44bb 72d10219 73782362 73f50c83 74d299bf 767ad6bc 7b0e5dae 7c570768 7e32a036
--   7f10f1f1 81c39d86 828f409b 850ebc03 85c55330 8677a402 88179609 8a07cad2 8efafa67 90eaa83c
--   96431dae 96e9b160 98fba1b3 9e784df5 a156a611 a283b8b3 ae6cc56b b07d7a09 b0e9d041 b12348fe
--   b1c3905f b8d70b39 b947bd23 b9e8836e b9efd02e bb3f7ace bd497c1f c1938e69 c5a77bdc c810a7b9
--   cc569d07 cd451515 cda200a1 ce03b0b2 ce2476e0 cfe2fee4 d58c4936 d6944711 d6f22836 df210101
--   e004c5c8 e0a98099 e195b533 e4542ce5 e5907c3a e5c1f28e e75da55c eb50112d eb6dae1a ed9329f5
--   ee96565d eee1eac7 efa481e0 f07450c6 f104541c
copy restored_jobs from stdin;

copy public.workspaces (
  id, name, created_at, updated_at, require_second_factor, remediation_target_days,
    carry_over_assessments, list_fuzzing_findings, disputed_findings, deciding_vex_authors,
    replaced_sbom_days, keeps_sources, device_auto_registration, device_polling_seconds,
    device_version_attribute, default_log_severity, release_gate, metric_retention_days,
    metric_hour_retention_days, log_retention_days, acceptance_requirements, acceptance_notice_days,
    acceptance_webhook_id, gate_forbids_exploited_acceptances, vex_publications_since, gate_support,
    case_days_since, gate_images, gate_new_crashes, device_key_rotation_days
)
from stdin;

-- server/src/backup/restore-backup.ts restoreOrClear
drop schema if exists pgboss cascade;

-- server/src/backup/state-store.ts claimDue
update backup_state
set claimed_until = now() + interval '5 minutes'
where (claimed_until > now()) is not true
  and (scheduled_at > now() - $1::float8 * interval '1 millisecond') is not true;

-- server/src/backup/state-store.ts readState
select scheduled_at, taken_at, seconds, content_bytes, missing_files, failed_at, error,
  extract(epoch from now() - taken_at)::float8 as age_seconds
from backup_state;

-- server/src/backup/state-store.ts recordFailure
update backup_state set failed_at = now(), error = $1, claimed_until = now() + interval '15 minutes';

-- server/src/backup/state-store.ts recordSuccess
update backup_state
set taken_at = $1, seconds = $2, content_bytes = $3, missing_files = $4, error = $5, failed_at = $6,
  scheduled_at = $7, claimed_until = $8;

-- server/src/backup/state-store.ts releaseClaim
update backup_state set claimed_until = $1;

-- server/src/backup/state-store.ts renewClaim: not executed by tests

-- server/src/backup/take-backup.ts inSnapshot: not executed by tests

-- server/src/backup/take-backup.ts readDatabase: the shortest and the longest of many variants
--   00748dc3 011d2111 01c3d2e6 032589d0 0372fe55 05128d4b 06197b82 07ba239f 0870c58b 09ac631c
--   0a135614 0b05079e 0b0b29d2 0bb6fcd2 0cdd49e0 1199a56c 1290da51 12e43db3 142f95a6 1664f984
--   166c7f9b 180a54da 1a37e6c5 1a91de4a 1ad8aea5 1dc9d152 20803c31 2144e887 22c3a585 22dca48b
--   23044b2c 257eed6c 26ad47c0 2707e19a 2814765b 2888d4af 2b1691dd 2b65c3cc 2cea6b90 2e0de23f
--   2e63db70 2f476564 32a26308 34054672 37451877 3749dfa5 3bc6eafe 3c1182bb 3c1aa2ad 3c5a5efc
--   3c975ea4 3df670c5 3e549084 42cc0f25 49344173 496fe322 4a7e98e8 4c27dd9f 4e03afaf 4f4b5631
--   4fd984bc 50147c5b 5032d9de 566e727c 58b258cb 5af5c2d3 5da7a620 5e4c2512 636502c2 638c2e6f
--   63ba1e92 63d8051c 640eced9 64123895 6502b333 662c413c 691928bb 69958fdb 6a60c14e 6b060b04
--   6b1e1ecc 6e75678a 72374e64 72595baa 726a4bf9 73fca2dc 744032af 78703556 79be73aa 7b3fb7d1
--   7d4d94c6 7d891860 7dd59b5b 7fad4d4a 80852813 81fccfee 826df200 82c528ca 82fb1f70 83d7873f
--   8745cb62 87ff1b29 888e8f8f 8c72a2c9 8d1b5bbf 8d63d1d6 8d960f7b 8e3f6850 91c156ac 91c86793
--   92122903 92428c24 9336845f 9446b410 945be17d 9a49cfdd 9be02d05 9c142193 9c237760 9c311f02
--   9e178e04 a007e9ba a0f0d751 a0ff8731 a2338cd3 a2729636 a5a45b86 a63a9fcc a6be2eb0 a833dac8
--   a8d18d97 a9fdb879 aa39352b ae81e113 affd9235 b2d131ec b454ccd8 b6cc5333 b6e6244d b7642314
--   baa55b20 baf75d87 bba89abb bd0f554f be710352 c0839cda c13717a1 c671efca c6c5504d c82bf930
--   c855edd3 ca195c66 cb492215 cbef8af0 ceea72df cfa289e4 d04b58f1 d07f7429 d0f65910 d265c82a
--   d2de0938 d4d8a5b6 d528110f d58b86ef d5dc60ea d5e75aa9 d61f3e94 d768b29b d7c5d5a0 d873cea4
--   d9adbcc1 dada5c4f dc4b3dae dc8fafcf dcfbc61e ddff7d80 de43a15d dec72ad1 dee28ce1 e0a3c5f3
--   e1eac8b3 e22cab95 e5219ff6 e54b6dd4 e5897de1 e5af2a29 e605f8b6 e7c51c68 e8f92c9e e9363a7e
--   e982c865 e98b040d e9ca56cf e9f069fc ea5781ca ebc8d10a ed38f609 edc3e753 ee71b338 f0a04535
--   f1e0c309 f5a38739 f5de1614 f740567e f80438ba f89808a8 f9694304 fac65d00 fdac97fb fe28996e
--   ff3e7f03
copy public.package_keys (key, package_id) to stdout;

copy public.workspaces (
  id, name, created_at, updated_at, require_second_factor, remediation_target_days,
    carry_over_assessments, list_fuzzing_findings, disputed_findings, deciding_vex_authors,
    replaced_sbom_days, keeps_sources, device_auto_registration, device_polling_seconds,
    device_version_attribute, default_log_severity, release_gate, metric_retention_days,
    metric_hour_retention_days, log_retention_days, acceptance_requirements, acceptance_notice_days,
    acceptance_webhook_id, gate_forbids_exploited_acceptances, vex_publications_since, gate_support,
    case_days_since, gate_images, gate_new_crashes, device_key_rotation_days
) to stdout;

-- server/src/backup/take-backup.ts readTime
select clock_timestamp() as at;

-- server/src/backup/take-backup.ts requireOwnSchema
select to_regclass('public.schema_migrations') is not null
  and to_regclass('public.backup_state') is not null as "isThere";

-- server/src/clock/clock-store.ts findRecentJump
select jumped_at as at, jumped_seconds as seconds
from clock
where jumped_at > $1::timestamptz - interval '1 day';

-- server/src/clock/clock-store.ts markSeen
update clock set seen_at = $1 from (select seen_at from clock) as before returning before.seen_at;

-- server/src/clock/clock-store.ts recordJump
update clock set jumped_at = $1, jumped_seconds = $2;

-- server/src/clock/due-instants-store.ts advanceColumn: the shortest and the longest of many variants
--   001d585c 044646d5 157b3c85 19d231c2 1da6226c 314e00c1 3ccfdc6a 3f4c0685 4b7e2193 4ee8c6ec
--   571fe1cd 610a320c 6660bcdc 749bac6f 80102297 8b4e0855 93fafb78 9609074f a0899413 abbfbe83
--   bb01a50a c62819e9 da5df95a e368505d e6a69233 eb929ce1 f4c795cc f6ccb3dc fd8ebad2
update nodes
set beat_at = $1::timestamptz
where true and beat_at - $2::timestamptz > '0'::interval + '5 seconds'::interval;

update alert_rules
set next_evaluation_at = $1::timestamptz
where true
  and next_evaluation_at - $2::timestamptz > make_interval(
    secs => left(evaluation_frequency, -1)::int * case
      when right(evaluation_frequency, 1) = 'm' then 60
      when right(evaluation_frequency, 1) = 'h' then 3600 else 86400 end
  ) + '5 seconds'::interval;

-- server/src/nodes/nodes-store.ts beatNode
insert into nodes (id, host, roles, version, started_at, encryption_key_id, beat_at)
values ($1, $2, $3, $4, $5, $6, clock_timestamp())
on conflict (id)
do update
set beat_at = clock_timestamp();

-- server/src/nodes/nodes-store.ts deleteNode
delete from nodes where id = $1;

-- server/src/nodes/nodes-store.ts deleteOldNodes
delete from nodes where beat_at < clock_timestamp() - interval '1 day';

-- server/src/nodes/nodes-store.ts listNodes
select host, roles, version, started_at, beat_at, encryption_key_id,
  beat_at >= clock_timestamp() - interval '30 seconds' as is_alive
from nodes
order by beat_at desc, id;

-- server/src/platform/calculator-process.ts answerFrom
set statement_timeout = 50;

-- server/src/platform/calculator-process.ts answerFrom
set statement_timeout = 20000;

-- server/src/platform/calculator-process.ts answerFrom
set statement_timeout = 30000;

-- server/src/platform/calculator-process.ts answerFrom
set statement_timeout = 120000;

-- server/src/platform/calculator-process.ts noticeLoss
set client_connection_check_interval = '1s';

-- server/src/platform/db/announcements.ts announce
select pg_notify($1, payload) from unnest($2::text[]) as payload;

-- server/src/platform/db/backup-locks.ts beginBackup
select pg_advisory_lock($1);

-- server/src/platform/db/backup-locks.ts beginBackup
select pg_try_advisory_lock($1) as begins;

-- server/src/platform/db/backup-locks.ts keepBackupsOut
select pg_advisory_lock($1);

-- server/src/platform/db/backup-locks.ts mayDeleteFiles
select pg_try_advisory_xact_lock_shared($1) as free;

-- server/src/platform/db/citus.ts distribute: not executed by tests

-- server/src/platform/db/citus.ts distributeBy: not executed by tests

-- server/src/platform/db/citus.ts dropTriggers: not executed by tests

-- server/src/platform/db/citus.ts hasCitus
select from pg_extension where extname = 'citus';

-- server/src/platform/db/citus.ts hasConstraint: not executed by tests

-- server/src/platform/db/citus.ts leaveOutForeignKeys: not executed by tests

-- server/src/platform/db/citus.ts listSpread: not executed by tests

-- server/src/platform/db/citus.ts listTables: not executed by tests

-- server/src/platform/db/citus.ts restoreForeignKeys: not executed by tests

-- server/src/platform/db/clock.ts readDatabaseTime
select clock_timestamp()::timestamptz(3) as at;

-- server/src/platform/db/describe-schema.ts describeSchema
select tables.relname::text as name,
  (
    select coalesce(
      jsonb_object_agg(
        attname::text, format_type(atttypid, atttypmod) || case when attnotnull then ' not null'
          else '' end || case attgenerated when 's' then ' generated'
          else '' end || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
        order by attname::text
      ), '{}'
    )
    from pg_attribute
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = tables.oid and attnum > 0 and not attisdropped
  ) as columns,
  (
    select coalesce(
      jsonb_object_agg(conname::text, pg_get_constraintdef(oid) order by conname::text), '{}'
    )
    from pg_constraint
    where conrelid = tables.oid and contype in ('p', 'u', 'f', 'c', 'x')
  ) as constraints,
  (
    select coalesce(
      jsonb_object_agg(
        names.relname::text, pg_get_indexdef(indexrelid) order by names.relname::text
      ), '{}'
    )
    from pg_index
    join pg_class as names on names.oid = indexrelid
    where indrelid = tables.oid
      and not exists (select from pg_constraint where conindid = indexrelid and conrelid = indrelid)
  ) as indexes
from pg_class as tables
where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
  and not exists (
    select
    from pg_depend
    where classid = 'pg_class'::regclass and objid = tables.oid and deptype = 'e'
  )
order by name;

-- server/src/platform/db/describe.ts describeDatabase: not executed by tests

-- server/src/platform/db/describe.ts isBundledServer: not executed by tests

-- server/src/platform/db/fair-pool.ts limitStatements: not executed by tests

-- server/src/platform/db/lead.ts tryLock
select pg_try_advisory_lock(hashtextextended($1, 0)) as is_held;

-- server/src/platform/db/listen.ts listenOnce
listen plimsoll_changes;

-- server/src/platform/db/listen.ts listenOnce
listen plimsoll_devices;

-- server/src/platform/db/migrate.ts applyMissing
create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz(3) not null default now()
);

-- server/src/platform/db/migrate.ts attemptTo
set local lock_timeout = 500;

-- server/src/platform/db/migrate.ts holdingLock
set statement_timeout = 0;

-- server/src/platform/db/migrate.ts holdingLock
select pg_advisory_lock($1);

-- server/src/platform/db/migrate.ts listApplied
select name, checksum from schema_migrations order by name;

-- server/src/platform/db/migrate.ts listMissingMigrations
select name from schema_migrations;

-- server/src/platform/db/migrate.ts listServices: not executed by tests

-- server/src/platform/db/migrate.ts makeSchema
create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz(3) not null default now()
);

-- server/src/platform/db/migrate.ts readMissingMigrations
select where to_regclass('schema_migrations') is not null;

-- server/src/platform/db/migrate.ts readServerVersion
select current_setting('server_version_num')::int as version;

-- server/src/platform/db/migrate.ts run: not executed by tests

-- server/src/platform/db/migration-plan.ts readSizes
select root.relname as "table", coalesce(sum(greatest(part.reltuples, 0)), 0)::float8 as rows,
  coalesce(sum(pg_total_relation_size(part.oid)), 0)::float8 as bytes
from pg_class as root
cross join lateral (
  select root.oid as relid
  where root.relkind = 'r'
  union all select tree.relid::oid
  from pg_partition_tree(root.oid) as tree
  where root.relkind = 'p' and tree.isleaf
) as leaf
join pg_class as part on part.oid = leaf.relid
where root.relkind in ('r', 'p') and root.relnamespace = 'public'::regnamespace
group by root.relname;

-- server/src/platform/db/node-health.ts listDatabaseNodes
select from pg_extension where extname = 'citus';

-- server/src/platform/db/package-locks.ts lockGroups: not executed by tests

-- server/src/platform/db/package-locks.ts lockRows
select count(*)
from (select from packages where id = any($1::uuid[]) order by id for share) as locked;

-- server/src/platform/db/package-locks.ts lockRows
select count(*)
from (select from packages where id = any($1::uuid[]) order by id for no key update) as locked;

-- server/src/platform/db/planning.ts hasCitus
select from pg_extension where extname = 'citus';

-- server/src/platform/db/planning.ts isUnderestimated: the shortest and the longest of many variants
--   060863ad 0e0e1a47 5822bf26 6e50ed75 866d2302 8a7e1c37 8f45113e add2c603 eebb3445
select from sbom_components where workspace_id = $1 offset $2 limit 1;

select from workspace_component_vulnerabilities where workspace_id = $1 offset $2 limit 1;

-- server/src/platform/db/planning.ts noticeWorkspace: the shortest and the longest of many variants
--   5939bd98 5e7d4fce 856e6f30 8a7bd4ad 8f7cdc75 931c7a05 99427d0b b6566e70 cc813956 e6cf6263
analyze sbom_components;

select pg_advisory_xact_lock(hashtext('notice workspaces'));

-- server/src/platform/db/planning.ts planForAnyWorkspace
select set_config('plan_cache_mode', 'force_generic_plan', true)
where not exists (select from pg_extension where extname = 'citus');

-- server/src/platform/db/planning.ts readBelieved: the shortest and the longest of many variants
--   0e7bae40 20afa6aa 2c9ab700 32586cd0 58789fa8 79457fe8 9ab1b1d1 a81c6921 b58810ea
explain (format json) select from sbom_components where workspace_id = $1;

explain (format json) select from workspace_component_vulnerabilities where workspace_id = $1;

-- server/src/platform/db/replay.ts readFlushed
select (
  case
    when (flushed - '0/0') % current_setting('wal_block_size')::numeric = 0 then
    pg_logical_emit_message(true, 'plimsoll', ''::text) else flushed end - '0/0'
)::float8 as position
from (select pg_current_wal_flush_lsn() as flushed) as log;

-- server/src/platform/db/replay.ts readReplayed
select (pg_last_wal_replay_lsn() - '0/0')::float8 as position where pg_is_in_recovery();

-- server/src/platform/db/replica-client.ts ReplicaClient.#answer: not executed by tests

-- server/src/platform/db/replica-client.ts ReplicaClient.#answerOfReplica: not executed by tests

-- server/src/platform/db/undone-store.ts updateUndone
update device_batches set undone_at = $1, undone_by_email = $2 where workspace_id = $3 and id = $4;

-- server/src/platform/db/undone-store.ts updateUndone
update alert_incident_batches
set undone_at = $1, undone_by_email = $2
where workspace_id = $3 and id = $4;

-- server/src/platform/doctor/check.ts addDifferences
with stored as (
  select firmware_version_id, image_hash, devices, true as is_there
  from device_image_counts as each
  where each.workspace_id = $1 and (devices <> 0)
),
  expected as (
    select firmware_version_id, image_hash, devices, true as is_there
    from (
      select firmware_version_id, coalesce(image_hash, $2::text) collate "C" as image_hash,
        count(*)::int as devices
      from device_firmwares
      where workspace_id = $3 and firmware_version_id is not null
        and (image_hash is not null or build_id is not null)
      group by 1, 2
    ) as each
  )
insert into device_image_counts as kept (workspace_id, firmware_version_id, image_hash, devices)
select $4, firmware_version_id, image_hash,
  coalesce(expected.devices, 0) - coalesce(stored.devices, 0)
from stored
full join expected using (firmware_version_id, image_hash)
where row(stored.is_there, stored.devices) is distinct from row(
  expected.is_there, expected.devices
)
order by firmware_version_id, image_hash
on conflict (workspace_id, firmware_version_id, image_hash)
do update
set devices = kept.devices + excluded.devices;

-- server/src/platform/doctor/check.ts addDifferences
with stored as (
  select quota, used, true as is_there
  from workspace_usage as each
  where each.workspace_id = $1 and (used <> 0)
),
  expected as (
    select quota, used, true as is_there
    from (
      select quota, used
      from (
        select 'storedBytes' as quota, sum(size_bytes)::bigint as used
        from (
          select size_bytes
          from sboms
          where workspace_id = $2
          union all select size_bytes
          from replaced_sboms
          where workspace_id = $3
          union all select size_bytes
          from firmware_artifacts
          where workspace_id = $4
          union all select size_bytes
          from firmware_role_artifacts
          where workspace_id = $5
        ) as file
        union all select 'devices', count(*)
        from devices
        where workspace_id = $6
        union all select 'metricSeries', count(*)
        from metric_series
        where workspace_id = $7
      ) as each
      where used <> 0
    ) as each
  )
insert into workspace_usage as kept (workspace_id, quota, used)
select $8, quota, coalesce(expected.used, 0) - coalesce(stored.used, 0)
from stored
full join expected using (quota)
where row(stored.is_there, stored.used) is distinct from row(expected.is_there, expected.used)
order by quota
on conflict (workspace_id, quota)
do update
set used = kept.used + excluded.used;

-- server/src/platform/doctor/check.ts addDifferences
with stored as (
  select firmware_version_ids, devices, true as is_there
  from firmware_set_device_counts as each
  where each.workspace_id = $1 and (true)
),
  expected as (
    select firmware_version_ids, devices, true as is_there
    from (
      select firmware_version_ids, count(*)::int as devices
      from (
        select device.id, device.connected,
          floor(extract(epoch from device.last_seen_at) / 3600)::int as seen_hour,
          array_agg(distinct running.firmware_version_id order by running.firmware_version_id) as
          firmware_version_ids
        from devices as device
        join device_firmwares as running on running.workspace_id = device.workspace_id
          and running.device_id = device.id
        where device.workspace_id = $2 and device.last_seen_at is not null
          and running.firmware_version_id is not null
        group by device.id, device.connected, device.last_seen_at
      ) as device
      group by 1
    ) as each
  )
insert into firmware_set_device_counts as kept (workspace_id, firmware_version_ids, devices)
select $3, firmware_version_ids, coalesce(expected.devices, 0) - coalesce(stored.devices, 0)
from stored
full join expected using (firmware_version_ids)
where row(stored.is_there, stored.devices) is distinct from row(
  expected.is_there, expected.devices
)
order by firmware_version_ids
on conflict (workspace_id, firmware_version_ids)
do update
set devices = kept.devices + excluded.devices;

-- server/src/platform/doctor/check.ts addDifferences
with stored as (
  select firmware_version_id, connected, seen_hour, devices, true as is_there
  from firmware_version_device_counts as each
  where each.workspace_id = $1 and (devices <> 0)
),
  expected as (
    select firmware_version_id, connected, seen_hour, devices, true as is_there
    from (
      select id as firmware_version_id, connected, seen_hour, count(*)::int as devices
      from (
        select unnest(firmware_version_ids) as id, connected, seen_hour
        from (
          select device.id, device.connected,
            floor(extract(epoch from device.last_seen_at) / 3600)::int as seen_hour,
            array_agg(distinct running.firmware_version_id order by running.firmware_version_id) as
            firmware_version_ids
          from devices as device
          join device_firmwares as running on running.workspace_id = device.workspace_id
            and running.device_id = device.id
          where device.workspace_id = $2 and device.last_seen_at is not null
            and running.firmware_version_id is not null
          group by device.id, device.connected, device.last_seen_at
        ) as device
      ) as running
      group by 1, 2, 3
    ) as each
  )
insert into firmware_version_device_counts as kept (
  workspace_id, firmware_version_id, connected, seen_hour, devices
)
select $3, firmware_version_id, connected, seen_hour,
  coalesce(expected.devices, 0) - coalesce(stored.devices, 0)
from stored
full join expected using (firmware_version_id, connected, seen_hour)
where row(stored.is_there, stored.devices) is distinct from row(
  expected.is_there, expected.devices
)
order by firmware_version_id, connected, seen_hour
on conflict (workspace_id, firmware_version_id, connected, seen_hour)
do update
set devices = kept.devices + excluded.devices;

-- server/src/platform/doctor/check.ts findDifferences: the shortest and the longest of many variants
--   01f2e8c1 02ed3309 1578574c 279cb5f6 33d1007b 395ea8d2 453bebf5 4a1fac03 655cde40 7c7d876f
--   845fade1 8722d5b5 97f167be a5df492a ab558fa4 bc4ab2b9 cde308e9 d20c32b7 fec91d7b
with stored as (
  select firmware_version_id, package_id, true as is_there
  from firmware_version_packages as each
  where each.workspace_id = $1 and (until is null)
),
  expected as (
    select firmware_version_id, package_id, true as is_there
    from (
      select distinct sbom.firmware_version_id, component.package_id
      from sboms as sbom
      join sbom_components as component on component.workspace_id = sbom.workspace_id
        and component.sbom_id = sbom.id
      where sbom.workspace_id = $2 and sbom.parsing_state = 'Succeeded'
        and component.package_id is not null
    ) as each
  )
select json_build_object(
  'firmware_version_id'::text, firmware_version_id, 'package_id'::text, package_id
) as key, case when stored.is_there then json_build_object() end as stored, case
  when expected.is_there then json_build_object() end as expected, (count(*) over ())::int as total
from stored
full join expected using (firmware_version_id, package_id)
where row(stored.is_there) is distinct from row(expected.is_there)
limit $3;

with stored as (
  select component_name, vulnerability_id, first_detected_at, last_detected_at, states,
    severity_rank, score, is_exploited, device_magnitude, finding_count, true as is_there
  from workspace_component_vulnerabilities as each
  where each.workspace_id = $1 and (true)
),
  expected as (
    select component_name, vulnerability_id, first_detected_at, last_detected_at, states,
      severity_rank, score, is_exploited, device_magnitude, finding_count, true as is_there
    from (
      select component_name, vulnerability_id, min(detected_at) as first_detected_at,
        max(detected_at) as last_detected_at, bit_or(states) as states,
        max(severity_rank) as severity_rank, max(score) as score,
        bool_or(is_exploited) as is_exploited, max(device_magnitude) as device_magnitude,
        sum(version_count)::int as finding_count
      from (
        select match.vulnerability_id, match.package_id, match.since, match.severity, match.score,
          match.is_exploited, held.version_count, owned.component_name, owned.device_magnitude,
          array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
          severity_rank,
          (
            select (
              coalesce(
                bit_or(
                  (
                    1::bigint << (
                      2 * (
                        array_position(
                          '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[
                            
                          ], decided.assessment
                        ) - 1
                      ) + decided.ignored::int
                    )
                  )
                ), 0
              ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
            ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
            from workspace_decisions as decided
            where decided.workspace_id = $2 and decided.vulnerability_id = match.vulnerability_id
              and decided.package_id = match.package_id and decided.finding_count > 0
          ) as states,
          (
            select min(
              case when held.open_since <= seen.since then seen.since
                when held.first_since >= seen.since then case
                when held.first_since < coalesce(seen.until, 'infinity') then held.first_since end
                else (
                  select min(greatest(fact.since, seen.since))
                  from firmware_version_packages as fact
                  where fact.workspace_id = $3 and fact.package_id = match.package_id
                    and greatest(fact.since, seen.since) < least(
                      coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                    )
                ) end
            )
            from package_matches as seen
            where seen.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id
              and (seen.until is null or seen.until > seen.since)
          ) as detected_at
        from (
          select workspace_id, package_id,
            (count(*) filter (where until is null))::int as version_count,
            min(since) as first_since, min(since) filter (where until is null) as open_since
          from firmware_version_packages
          where workspace_id = $4 and (until is null or until > since)
          group by workspace_id, package_id
        ) as held
        join workspace_packages as owned on owned.workspace_id = $5
          and owned.package_id = held.package_id
        join package_matches as match on match.package_id = held.package_id and match.until is null
        where held.version_count > 0
      ) as match
      group by component_name, vulnerability_id
    ) as each
  )
select json_build_object(
  'component_name'::text, component_name, 'vulnerability_id'::text, vulnerability_id
) as key, case
  when stored.is_there then json_build_object(
    'first_detected_at'::text, stored.first_detected_at, 'last_detected_at'::text,
      stored.last_detected_at, 'states'::text, stored.states, 'severity_rank'::text,
      stored.severity_rank, 'score'::text, stored.score, 'is_exploited'::text, stored.is_exploited,
      'device_magnitude'::text, stored.device_magnitude, 'finding_count'::text, stored.finding_count
  ) end as stored, case
  when expected.is_there then json_build_object(
    'first_detected_at'::text, expected.first_detected_at, 'last_detected_at'::text,
      expected.last_detected_at, 'states'::text, expected.states, 'severity_rank'::text,
      expected.severity_rank, 'score'::text, expected.score, 'is_exploited'::text,
      expected.is_exploited, 'device_magnitude'::text, expected.device_magnitude,
      'finding_count'::text, expected.finding_count
  ) end as expected, (count(*) over ())::int as total
from stored
full join expected using (component_name, vulnerability_id)
where row(
  stored.is_there, stored.first_detected_at, stored.last_detected_at, stored.states,
    stored.severity_rank, stored.score, stored.is_exploited, stored.device_magnitude,
    stored.finding_count
) is distinct from row(
  expected.is_there, expected.first_detected_at, expected.last_detected_at, expected.states,
    expected.severity_rank, expected.score, expected.is_exploited, expected.device_magnitude,
    expected.finding_count
)
limit $6;

-- server/src/platform/doctor/check.ts listDifferingKeys: the shortest and the longest of many variants
--   1571e1a9 2d440c4a 32c612e2 4ce5142f 5f23f942 646d5f5c 9b3a9501 cd14367f d90ea390
with stored as (
  select id, component_count, true as is_there
  from sboms as each
  where each.workspace_id = $1 and (parsing_state = 'Succeeded' and component_count <> 0)
),
  expected as (
    select id, component_count, true as is_there
    from (
      select sbom.id, count(*)::int as component_count
      from sboms as sbom
      join sbom_components as component on component.workspace_id = sbom.workspace_id
        and component.sbom_id = sbom.id
      where sbom.workspace_id = $2 and sbom.parsing_state = 'Succeeded'
      group by sbom.id
    ) as each
  )
select distinct id::text as id
from stored
full join expected using (id)
where row(stored.is_there, stored.component_count) is distinct from row(
  expected.is_there, expected.component_count
)
order by 1;

with stored as (
  select firmware_version_id, critical, high, medium, low, "none", unknown, exploited,
    undecided_critical, undecided_high, true as is_there
  from firmware_version_counters as each
  where each.workspace_id = $1
    and (
      critical <> 0 or high <> 0 or medium <> 0 or low <> 0 or "none" <> 0 or unknown <> 0
        or exploited <> 0 or undecided_critical <> 0 or undecided_high <> 0
    )
),
  expected as (
    select firmware_version_id, critical, high, medium, low, "none", unknown, exploited,
      undecided_critical, undecided_high, true as is_there
    from (
      select fact.firmware_version_id,
        coalesce(sum(amount) filter (where counter = $2), 0)::int as critical,
        coalesce(sum(amount) filter (where counter = $3), 0)::int as high,
        coalesce(sum(amount) filter (where counter = $4), 0)::int as medium,
        coalesce(sum(amount) filter (where counter = $5), 0)::int as low,
        coalesce(sum(amount) filter (where counter = $6), 0)::int as "none",
        coalesce(sum(amount) filter (where counter = $7), 0)::int as unknown,
        coalesce(sum(amount) filter (where counter = $8), 0)::int as exploited,
        coalesce(sum(amount) filter (where counter = $9), 0)::int as undecided_critical,
        coalesce(sum(amount) filter (where counter = $10), 0)::int as undecided_high
      from firmware_version_packages as fact
      join package_matches as match on match.package_id = fact.package_id and match.until is null
      left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
        and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id
      cross join lateral (
        values (match.severity, 1), ('Exploited', match.is_exploited::int * 1),
          (
            case when match.severity in ('Critical', 'High') then 'Undecided' || match.severity end,
              (coalesce(decision.assessment, 'NotAssessed') in ('NotAssessed', 'InTriage'))::int
          )
      ) as each (counter, amount)
      where fact.workspace_id = $11 and fact.until is null
        and (
          not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, 'NotAssessed') not in (
              'NotAffected', 'FalsePositive', 'Resolved'
            )
            and (
              match.confidence <> 'Low'
                or coalesce(decision.assessment, 'NotAssessed') in ('Exploitable', 'InTriage')
            )
        )
      group by fact.firmware_version_id
    ) as each
  )
select distinct firmware_version_id::text as id
from stored
full join expected using (firmware_version_id)
where row(
  stored.is_there, stored.critical, stored.high, stored.medium, stored.low, stored."none",
    stored.unknown, stored.exploited, stored.undecided_critical, stored.undecided_high
) is distinct from row(
  expected.is_there, expected.critical, expected.high, expected.medium, expected.low,
    expected."none", expected.unknown, expected.exploited, expected.undecided_critical,
    expected.undecided_high
)
order by 1;

-- server/src/platform/doctor/check.ts withoutTimeLimit
select set_config('statement_timeout', '0', true);

-- server/src/platform/doctor/check.ts writeExpected: the shortest and the longest of many variants
--   1c908215 2c0442b0 3a3a4e7b 49a6cf5f 4b61c1df 50658a0a 57dc5379 5c6bfe72 b53b7edc c2967688
--   cf4b7d4b f3a763cf
delete from workspace_package_versions as kept
where kept.workspace_id = $1
  and row(kept.package_id, kept.block) in (
    with stored as (
      select package_id, block, versions, true as is_there
      from workspace_package_versions as each
      where each.workspace_id = $2 and (true)
    ),
      expected as (
        select package_id, block, versions, true as is_there
        from (
          select fact.package_id, numbered.number / 32 as block,
            bit_or(1 << numbered.number % 32) as versions
          from firmware_version_packages as fact
          join workspace_versions as numbered on numbered.workspace_id = fact.workspace_id
            and numbered.firmware_version_id = fact.firmware_version_id
          where fact.workspace_id = $3 and fact.until is null
          group by fact.package_id, numbered.number / 32
        ) as each
      )
    select package_id, block
    from stored
    full join expected using (package_id, block)
    where stored.is_there and expected.is_there is null
  );

with stored as (
  select component_name, vulnerability_id, first_detected_at, last_detected_at, states,
    severity_rank, score, is_exploited, device_magnitude, finding_count, true as is_there
  from workspace_component_vulnerabilities as each
  where each.workspace_id = $1 and (true)
),
  expected as (
    select component_name, vulnerability_id, first_detected_at, last_detected_at, states,
      severity_rank, score, is_exploited, device_magnitude, finding_count, true as is_there
    from (
      select component_name, vulnerability_id, min(detected_at) as first_detected_at,
        max(detected_at) as last_detected_at, bit_or(states) as states,
        max(severity_rank) as severity_rank, max(score) as score,
        bool_or(is_exploited) as is_exploited, max(device_magnitude) as device_magnitude,
        sum(version_count)::int as finding_count
      from (
        select match.vulnerability_id, match.package_id, match.since, match.severity, match.score,
          match.is_exploited, held.version_count, owned.component_name, owned.device_magnitude,
          array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity) as
          severity_rank,
          (
            select (
              coalesce(
                bit_or(
                  (
                    1::bigint << (
                      2 * (
                        array_position(
                          '{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}'::text[
                            
                          ], decided.assessment
                        ) - 1
                      ) + decided.ignored::int
                    )
                  )
                ), 0
              ) | (held.version_count > coalesce(sum(decided.finding_count), 0))::int
            ) << (12 * (array_position('{High,Medium,Low}'::text[], match.confidence) - 1))
            from workspace_decisions as decided
            where decided.workspace_id = $2 and decided.vulnerability_id = match.vulnerability_id
              and decided.package_id = match.package_id and decided.finding_count > 0
          ) as states,
          (
            select min(
              case when held.open_since <= seen.since then seen.since
                when held.first_since >= seen.since then case
                when held.first_since < coalesce(seen.until, 'infinity') then held.first_since end
                else (
                  select min(greatest(fact.since, seen.since))
                  from firmware_version_packages as fact
                  where fact.workspace_id = $3 and fact.package_id = match.package_id
                    and greatest(fact.since, seen.since) < least(
                      coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')
                    )
                ) end
            )
            from package_matches as seen
            where seen.package_id = match.package_id
              and seen.vulnerability_id = match.vulnerability_id
              and (seen.until is null or seen.until > seen.since)
          ) as detected_at
        from (
          select workspace_id, package_id,
            (count(*) filter (where until is null))::int as version_count,
            min(since) as first_since, min(since) filter (where until is null) as open_since
          from firmware_version_packages
          where workspace_id = $4 and (until is null or until > since)
          group by workspace_id, package_id
        ) as held
        join workspace_packages as owned on owned.workspace_id = $5
          and owned.package_id = held.package_id
        join package_matches as match on match.package_id = held.package_id and match.until is null
        where held.version_count > 0
      ) as match
      group by component_name, vulnerability_id
    ) as each
  )
insert into workspace_component_vulnerabilities (
  workspace_id, component_name, vulnerability_id, first_detected_at, last_detected_at, states,
    severity_rank, score, is_exploited, device_magnitude, finding_count
)
select $6, component_name, vulnerability_id, expected.first_detected_at, expected.last_detected_at,
  expected.states, expected.severity_rank, expected.score, expected.is_exploited,
  expected.device_magnitude, expected.finding_count
from stored
full join expected using (component_name, vulnerability_id)
where expected.is_there
  and row(
    stored.is_there, stored.first_detected_at, stored.last_detected_at, stored.states,
      stored.severity_rank, stored.score, stored.is_exploited, stored.device_magnitude,
      stored.finding_count
  ) is distinct from row(
    expected.is_there, expected.first_detected_at, expected.last_detected_at, expected.states,
      expected.severity_rank, expected.score, expected.is_exploited, expected.device_magnitude,
      expected.finding_count
  )
order by component_name, vulnerability_id
on conflict (workspace_id, component_name, vulnerability_id)
do update
set first_detected_at = excluded.first_detected_at, last_detected_at = excluded.last_detected_at,
  states = excluded.states, severity_rank = excluded.severity_rank, score = excluded.score,
  is_exploited = excluded.is_exploited, device_magnitude = excluded.device_magnitude,
  finding_count = excluded.finding_count;

-- server/src/platform/doctor/installation-checks.ts findForgetfulSettings
select name from pg_settings where name = any($1::text[]) and setting = 'off' order by name;

-- server/src/platform/doctor/installation-checks.ts findInvalidIndexes
select indexrelid::regclass::text as name
from pg_index
where not (indisvalid and indisready)
order by 1;

-- server/src/platform/doctor/installation-checks.ts findUntendedTables
select name || ' is off: lists get slower and files larger' as fault
from pg_settings
where name in ('autovacuum', 'track_counts') and setting = 'off'
union all select oid::regclass || ' has autovacuum_enabled = off'
from pg_class
where exists (
  select
  from pg_options_to_table(reloptions)
  where option_name = 'autovacuum_enabled' and not option_value::boolean
)
order by 1;

-- server/src/platform/jobs/late-jobs.ts listLateJobs
select name,
  (count(*) filter (where (state < 'active' and start_after < now() - interval '15 minutes')))::int
  as waiting,
  (count(*) filter (where (state = 'active' and heartbeat_on < now() - interval '5 minutes')))::int
  as silent,
  extract(
    epoch
    from now() - min(
      case when (state < 'active' and start_after < now() - interval '15 minutes') then start_after
        else heartbeat_on end
    )
  )::float8 as oldest_seconds
from pgboss.job
where (state < 'active' and start_after < now() - interval '15 minutes')
  or (state = 'active' and heartbeat_on < now() - interval '5 minutes')
group by name
order by name;

-- server/src/platform/jobs/late-jobs.ts listWithoutJob: the shortest and the longest of many variants
--   15653cc0 33542a50 62f632b1 702da224 be60fcf1 c4b9ca8e c5364aa6
select asked.place
from unnest($1::jsonb[]) with ordinality as asked (row, place)
where not exists (
  select from pgboss.job as job where job.name = any($2::text[]) and job.state <= 'active' and true
)
order by asked.place;

select asked.place
from unnest($1::jsonb[]) with ordinality as asked (row, place)
where not exists (
  select
  from pgboss.job as job
  where job.name = any($2::text[]) and job.state <= 'active' and job.data ->> 'workspaceId' = $3
    and (
      job.data ->> 'sbomId' = asked.row ->> 'id'
        or job.data ->> 'firmwareVersionId' = asked.row ->> 'firmwareVersionId'
    )
)
order by asked.place;

-- server/src/platform/management.ts isDatabaseThere
select 1;

-- server/src/stored-secrets.ts readPage: the shortest and the longest of many variants
--   06390263 09d338bd 0fd74f15 45a86193 5639c328 72c8a7de 7f72a619 93f0146e d1fbd20d ee82bc5b
--   f1422d4f f21130dd
select array[name::text] as key, value as stored
from secrets
where value is not null and name like $1 and true
order by name
limit $2;

select array[workspace_id::text, id::text] as key, former_secret as stored
from webhooks
where former_secret is not null and true and (workspace_id, id) > ($1, $2)
order by workspace_id, id
limit $3;

-- server/src/stored-secrets.ts replaceSecret: the shortest and the longest of many variants
--   34e19153 3548cc7a 388898cd 3b06e09d f9a70d84
update secrets set value = $1 where name = $2 and value = $3;

update webhooks set former_secret = $1 where workspace_id = $2 and id = $3 and former_secret = $4;
