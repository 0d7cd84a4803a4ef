package io.ntrail.formats.pt;

import io.ntrail.formats.bytes.InputFile;
import java.util.Set;

/**
 * Usefulness of a short trace, by its packets.
 *
 * @param isSynchronised whether a PSB is in it, without which nothing can be decoded
 * @param timing the finest packets of time from the first PSB on; none without a PSB
 */
public record PieceContent(boolean isSynchronised, TraceTiming timing) {
  private static final PieceContent UNSYNCHRONISED = new PieceContent(false, TraceTiming.NONE);

  /**
   * Walks over the packets up to the first CYC.
   *
   * @param stream oldest byte first
   */
  public static PieceContent of(InputFile stream) {
    long psb = PsbSearch.next(stream, 0);
    if (psb < 0) {
      return UNSYNCHRONISED;
    }
    TraceTiming timing = TraceTiming.NONE;
    PacketCursor packets = PacketCursor.joined(stream, Set.of());
    packets.seek(psb);
    while (timing != TraceTiming.CYC && packets.next()) {
      switch (packets.type()) {
        case TSC, MTC -> timing = TraceTiming.MTC;
        case CYC -> timing = TraceTiming.CYC;
        default -> {
          // Tells no time.
        }
      }
    }
    return new PieceContent(true, timing);
  }
}
