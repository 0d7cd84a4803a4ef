package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.etl.RecordCursor;
import java.util.List;

/**
 * Events that end before their last field, each once however many passes meet it. All their bytes
 * were read, so that they are no gaps of the recording. Thread-safe.
 */
public final class ShortEvents {
  private final Gaps events = new Gaps();

  ShortEvents() {}

  /** Adds the event at a cursor. */
  public void add(RecordCursor record) {
    // With a wrong manifest every event may be one.
    if (!events.isBeyondLimit()) {
      add(of(record));
    }
  }

  /** Adds an event. */
  public void add(Gap event) {
    events.add(event);
  }

  /** Returns the event at a cursor as it is added. */
  public static Gap of(RecordCursor record) {
    long offset = record.file().buffers().fileOffset(record.buffer());
    String place = "payload at " + record.payloadOffset();
    return new Gap(record.file().name(), offset, record.payloadLength(), place, "ends early");
  }

  /**
   * Returns the events, each with the offset of its buffer. If there are more than are kept, the
   * last stands for them and has no length.
   */
  public List<Gap> list() {
    return events.list();
  }
}
