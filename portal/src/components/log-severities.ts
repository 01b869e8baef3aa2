/** What a log line can weigh, least first. */
export const LOG_SEVERITIES = ['Debug', 'Info', 'Warning', 'Error', 'Critical'] as const
