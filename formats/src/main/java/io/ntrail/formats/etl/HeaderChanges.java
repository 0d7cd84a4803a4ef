package io.ntrail.formats.etl;

/**
 * Fields of {@code TRACE_LOGFILE_HEADER} that a file which was made of others has of its own. All
 * other fields, the clock among them, are those of the first file.
 *
 * @param logFileMode {@code EVENT_TRACE_*_MODE}
 * @param endTime FILETIME; 0 if a session was not finalised
 * @param processors highest number of a processor plus 1
 * @param eventsLost of all sessions
 * @param buffersLost of all sessions
 * @param sessionName of the header
 * @param fileName of the header
 */
public record HeaderChanges(
    int logFileMode,
    long endTime,
    long processors,
    long eventsLost,
    long buffersLost,
    String sessionName,
    String fileName) {}
