package io.ntrail.analysis.model;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
import java.util.List;
import java.util.Optional;

/**
 * One or several files that were recorded together, whatever their format.
 *
 * <p>Every recording has its files, its gaps and the losses of its recorder. What else it can be
 * asked depends on its kind: {@link #ability}.
 */
public interface Recording extends AutoCloseable {
  /** Kind of the recording. */
  RecordingKind kind();

  /** Names of the files, in the order in which they were given. */
  List<String> fileNames();

  /** Bytes of all files. */
  long size();

  /** Returns the parts that could not be read so far: complete after a pass over everything. */
  List<Gap> gaps();

  /** Returns the losses that the recorder itself counted. */
  RecorderLosses losses();

  /** Returns what whoever made the recording out of others has left out of them on purpose. */
  default List<Omission> omissions() {
    return List.of();
  }

  /**
   * Returns the recording as one that has an ability.
   *
   * @param ability one of the interfaces of this package, or of the classes of a source where a
   *     question is about that source alone
   * @return empty if the recording does not have it
   */
  default <A> Optional<A> ability(Class<A> ability) {
    return ability.isInstance(this) ? Optional.of(ability.cast(this)) : Optional.empty();
  }

  @Override
  void close();
}
