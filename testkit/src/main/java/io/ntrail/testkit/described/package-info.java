/**
 * Described payloads, read and written apart from the program: a second reader of TraceLogging,
 * EventMetadata, EventSource manifests and instrumentation manifests that is plain and slow, and
 * writers that give the bytes of an event together with the values a reader has to find.
 *
 * <p>Start with {@link io.ntrail.testkit.described.ReferenceEventReader} to read a whole recording,
 * with {@link io.ntrail.testkit.described.RandomDescribedEvents} for events of any shape.
 *
 * <p>Both sides give values as text in one form. Integers are decimal, unsigned where the type is;
 * pointers, sizes, hexadecimal types, NTSTATUS, HRESULT and plain error codes are {@code 0x} and
 * lower-case digits without padding; Win32 errors are decimal; booleans are {@code true} or {@code
 * false}; numbers with a point are what Java prints. GUIDs are lower case without braces. A
 * FILETIME is ISO 8601 with seven decimals and {@code Z} (one that is negative: the hexadecimal
 * number), a SYSTEMTIME {@code yyyy-MM-ddTHH:mm:ss.SSS}. Binary is lower-case hex. IPv4 is dotted,
 * IPv6 as RFC 5952 has it (IPv4-mapped: dotted tail), socket addresses are {@code 1.2.3.4:80} and
 * {@code [::1]:80}, other families hex. Texts are as they are, but text whose length is given from
 * outside ends before the zeros that fill it up. 8-bit text is UTF-8 where that is well formed,
 * else Windows-1252.
 */
@NullMarked
package io.ntrail.testkit.described;

import org.jspecify.annotations.NullMarked;
