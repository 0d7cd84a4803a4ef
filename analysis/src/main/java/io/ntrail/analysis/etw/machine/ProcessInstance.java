package io.ntrail.analysis.etw.machine;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One process.
 *
 * @param id process id; used again after its end
 * @param parent id of the process that started it
 * @param image name of its image without a folder, such as {@code shopd.exe}
 * @param commandLine how it was started; null if not recorded
 */
public record ProcessInstance(int id, int parent, String image, @Nullable String commandLine) {
  /** By everything that is known, so that it is the same in every run. */
  static final Comparator<ProcessInstance> ORDER =
      Comparator.comparingInt(ProcessInstance::id)
          .thenComparing(ProcessInstance::image)
          .thenComparingInt(ProcessInstance::parent)
          .thenComparing(life -> life.commandLine == null ? "" : life.commandLine);
}
