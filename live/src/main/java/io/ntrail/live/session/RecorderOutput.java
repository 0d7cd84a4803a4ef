package io.ntrail.live.session;

import io.ntrail.formats.ntr.NtrRing;
import io.ntrail.formats.ntr.NtrWriter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Where records go: a writer that may come to its end, by its size or by a failed write. */
final class RecorderOutput {
  /** Something that writes. */
  @FunctionalInterface
  interface Writing {
    void run() throws IOException;
  }

  final NtrWriter writer;
  final @Nullable NtrRing ring;
  private final SessionFile session;
  private final Remarks remarks;
  private final long maxBytes;
  private Runnable whenFailed = () -> {};
  private RecorderState state = RecorderState.RECORDING;
  private long failedWrites;

  RecorderOutput(
      SessionFile session,
      NtrWriter writer,
      @Nullable NtrRing ring,
      long maxBytes,
      Remarks remarks) {
    this.session = session;
    this.writer = writer;
    this.ring = ring;
    this.maxBytes = maxBytes;
    this.remarks = remarks;
  }

  /** What is to be done, once, when a write failed. */
  void whenFailed(Runnable action) {
    whenFailed = action;
  }

  RecorderState state() {
    return state;
  }

  /** Whether events are taken. */
  boolean isRecording() {
    return state == RecorderState.RECORDING;
  }

  long failedWrites() {
    return failedWrites;
  }

  /** Bytes of the file. */
  long bytes() {
    return ring == null ? writer.position() : ring.bytes();
  }

  /**
   * Writes, unless that failed before; a failure ends recording and is no failure of the caller.
   */
  void attempt(Writing writing) {
    if (writer.failed()) {
      return;
    }
    try {
      writing.run();
    } catch (IOException e) {
      fail(e);
    }
  }

  /** Stops recording if the file has its largest size. */
  void checkSize() throws IOException {
    if (isRecording() && maxBytes > 0 && writer.position() >= maxBytes) {
      state = RecorderState.SIZE_REACHED;
      session.enable(false);
      remarks.say("recording stopped when the file had %d bytes", writer.position());
      writer.flush();
    }
  }

  /** All that there was is in the file, if nothing ended recording before. */
  void finished() {
    if (isRecording()) {
      state = RecorderState.FINISHED;
    }
  }

  private void fail(IOException e) {
    state = RecorderState.FAILED;
    failedWrites++;
    writer.giveUp();
    session.enable(false);
    remarks.say("the file could not be written: %s", String.valueOf(e.getMessage()));
    whenFailed.run();
  }
}
