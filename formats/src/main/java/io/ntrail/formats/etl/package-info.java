/**
 * ETW recordings ({@code .etl}): buffers, records, headers, time.
 *
 * <p>A file is buffers one after the other: no file header, no index, no trailer. A buffer is a
 * 72-byte {@code WMI_BUFFER_HEADER} ({@link io.ntrail.formats.etl.BufferHeader}), records, slack.
 * Every CPU fills its own buffers, and a full buffer is written when it is full: the order in the
 * file is not the order in time. All numbers are little-endian.
 *
 * <pre>
 * 0x00 u32 BufferSize      bytes the buffer takes in the file, its header included
 * 0x04 u32 SavedOffset     compressed buffers: size after decompression, header included
 * 0x10 i64 TimeStamp       when it was flushed
 * 0x18 i64 SequenceNumber  order of hand-out within a session
 * 0x28 u16 ProcessorIndex  low 11 bits if BufferFlag has 0x20, else the low byte
 * 0x2A u16 LoggerId
 * 0x2C u32 State           first buffer of a compressed file: the compression in the low 16 bits
 * 0x30 u32 Offset          end of the records, header included
 * 0x34 u16 BufferFlag      2 events lost, 4 buffer lost, 0x20 processor index, 0x40 compressed
 * 0x36 u16 BufferType      0 generic ... 4 header (the first one)
 * 0x48     records, each padded to a multiple of 8
 * </pre>
 *
 * <p>The first record is {@link io.ntrail.formats.etl.LogFileHeader}; it defines how raw time
 * stamps become time ({@link io.ntrail.formats.etl.EtlClock}). {@link
 * io.ntrail.formats.etl.RecordKind} is the table of record headers, {@link
 * io.ntrail.formats.etl.RecordCursor} walks one buffer's records as a flyweight, {@link
 * io.ntrail.formats.etl.EtlFile} knows the buffers of a file.
 *
 * <p>Nothing here attributes records to processes, orders buffers or interprets payloads. Bytes
 * that are not what they must be become a {@link io.ntrail.formats.bytes.Gap}, and reading
 * continues at the next place that can be trusted.
 *
 * <p>The layouts are those of ntwmi.h and evntrace.h; what real files show beyond them is noted
 * where it matters.
 */
@NullMarked
package io.ntrail.formats.etl;

import org.jspecify.annotations.NullMarked;
