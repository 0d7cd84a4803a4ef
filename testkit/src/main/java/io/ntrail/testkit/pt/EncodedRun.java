package io.ntrail.testkit.pt;

import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.util.Arrays;

/**
 * A stream, and what a decoder has to find in it.
 *
 * @param stream the packets
 * @param addresses of all instructions of the stream, in order
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record EncodedRun(byte[] stream, long[] addresses) {
  /**
   * Runs and encodes a program.
   *
   * @param most number of steps
   */
  public static EncodedRun of(
      RandomProgram program, UnicornMachine machine, PtEncoder encoder, int most)
      throws IOException {
    long[] addresses = new long[most + 1];
    int[] count = {0};
    long next =
        program.run(
            machine,
            most,
            (kind, ip, after, to) -> {
              if (encoder.step(kind, ip, after, to)) {
                addresses[count[0]++] = ip;
              }
            });
    encoder.end(next);
    return new EncodedRun(encoder.stream(), Arrays.copyOf(addresses, count[0]));
  }
}
