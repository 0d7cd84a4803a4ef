package io.ntrail.analysis.collapsed;

import io.ntrail.analysis.model.NamedStacks;
import io.ntrail.analysis.model.RecorderLosses;
import io.ntrail.analysis.model.Recording;
import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.collapsed.CollapsedReader;
import java.util.List;

/** Stacks that ntrail or another tool wrote as text. */
public final class CollapsedRecording implements Recording, NamedStacks {
  private final InputFile input;
  private final Gaps gaps;

  /**
   * Creates a recording of which nothing was read.
   *
   * @param input closed with this
   * @param gaps those of the file; receives what its lines leave
   */
  public CollapsedRecording(InputFile input, Gaps gaps) {
    this.input = input;
    this.gaps = gaps;
  }

  @Override
  public RecordingKind kind() {
    return RecordingKind.COLLAPSED;
  }

  @Override
  public List<String> fileNames() {
    return List.of(input.name());
  }

  @Override
  public long size() {
    return input.size();
  }

  @Override
  public List<Gap> gaps() {
    return gaps.list();
  }

  @Override
  public RecorderLosses losses() {
    return RecorderLosses.UNKNOWN;
  }

  @Override
  public long stacks(Sink sink) {
    return CollapsedReader.read(input, sink::frame, sink::end, gaps);
  }

  @Override
  public void close() {
    input.close();
  }
}
