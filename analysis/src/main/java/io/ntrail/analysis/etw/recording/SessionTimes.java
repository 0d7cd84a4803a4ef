package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import java.util.List;

/** Reports times that no record of the session can have: one is enough to spoil durations. */
public final class SessionTimes {
  private static final String TIMES = "times";

  private SessionTimes() {}

  /** Returns true if a gap is that of such times: who copies the records copies it with them. */
  public static boolean isOne(Gap gap) {
    return gap.what().equals(TIMES);
  }

  /**
   * Reports the buffers with such times.
   *
   * @param survey of the files
   * @param gaps receives them
   */
  static void check(List<EtlFile> files, Survey survey, Gaps gaps) {
    for (int f = 0; f < files.size(); f++) {
      EtlFile file = files.get(f);
      BufferIndex buffers = file.buffers();
      for (int b = 0; b < buffers.count(); b++) {
        long earliest = survey.earliest(f, b);
        long latest = survey.latest(f, b);
        if (earliest <= latest && !(file.isOfSession(earliest) && file.isOfSession(latest))) {
          gaps.add(
              new Gap(
                  file.name(),
                  buffers.fileOffset(b),
                  buffers.fileBytes(b),
                  TIMES,
                  "a record's time is far from the session's: order, durations and rates may be"
                      + " wrong"));
        }
      }
    }
  }
}
