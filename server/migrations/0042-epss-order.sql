-- Lists of a workspace by risk read vulnerabilities of one severity by EPSS score.
create index epss_scores_score on epss_scores (score, cve_id);
