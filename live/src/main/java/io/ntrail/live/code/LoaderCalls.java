package io.ntrail.live.code;

/**
 * Addresses of functions that the DLL notification callback calls, as they are without tracing.
 *
 * @param delay NtDelayExecution
 * @param addTable RtlAddGrowableFunctionTable
 * @param ending RtlDllShutdownInProgress; 0 if there is none
 */
public record LoaderCalls(long delay, long addTable, long ending) {}
