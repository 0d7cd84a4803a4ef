/**
 * Intel Processor Trace: the packets of a stream, and the time that they tell.
 *
 * <p>A stream is a sequence of packets without a header, little-endian, written by a processor into
 * a buffer that is often a ring. The first byte tells the kind of a packet; {@code 02} leads to a
 * second table, {@code 02 C3} to a third. There are no checksums and no lengths: a reader can begin
 * at a PSB only, a pattern of 16 bytes that comes every few kilobytes. {@link
 * io.ntrail.formats.pt.PacketType} is the table of all packets, {@link
 * io.ntrail.formats.pt.PacketCursor} walks a stream, {@link io.ntrail.formats.pt.PsbSearch} finds
 * places to begin, {@link io.ntrail.formats.pt.PacketClock} turns the packets of time into time
 * stamps. What instructions ran is not said here: that needs the code.
 *
 * <p>Between PSB and PSBEND (the header, or PSB+) packets tell the state of the processor, not
 * changes of it. Addresses are compressed against the last one of the stream, which is forgotten at
 * each PSB and at each overflow.
 *
 * <p>Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3C, chapter
 * "Intel Processor Trace"; the specification updates of the processors for {@link
 * io.ntrail.formats.pt.Erratum}. Where the manual is silent, what Intel's own decoder library and
 * the one of Linux perf do; docs/pt.md tells where these differ and what is done here.
 */
@NullMarked
package io.ntrail.formats.pt;

import org.jspecify.annotations.NullMarked;
