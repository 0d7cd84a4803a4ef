/**
 * Schemas of payloads, their sources, and the one engine that reads payloads with them.
 *
 * <p>A {@link Schema} is a list of {@link Field}s with an {@link InType} (its storage) and an
 * {@link OutType} (its meaning), as the Trace Data Helper (TDH) of Windows has them. Schemas come
 * from tables ({@link SchemaTable}: the kernel's events, the .NET runtime's), from the event itself
 * (TraceLogging), from descriptions in the recording (TRACE_EVENT_INFO that a merge adds, manifests
 * that an EventSource sends) or from files of the user (instrumentation manifests, TMF). {@link
 * Payload} walks the bytes once and keeps the place of each value; values are made on demand.
 * {@link StatusCodes} has the names of well-known codes in them.
 *
 * <p>Payloads are packed, without alignment unless a table says so. Shorter ones (older events) end
 * the walk quietly, of longer ones (newer events) the rest is kept as bytes.
 */
@NullMarked
package io.ntrail.formats.schema;

import org.jspecify.annotations.NullMarked;
