package io.ntrail.live.code;

/**
 * Addresses of functions that the code in front of NtResumeThread calls, as they are without
 * tracing.
 *
 * @param delay NtDelayExecution
 * @param query NtQueryInformationThread
 */
public record ResumeCalls(long delay, long query) {}
