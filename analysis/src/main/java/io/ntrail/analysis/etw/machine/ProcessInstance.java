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
  static final Comparator<ProcessInstance> ORDER = ProcessInstance::compare;

  private static int compare(ProcessInstance a, ProcessInstance b) {
    int byId = Integer.compare(a.id, b.id);
    int byImage = byId != 0 ? byId : a.image.compareTo(b.image);
    int byParent = byImage != 0 ? byImage : Integer.compare(a.parent, b.parent);
    return byParent != 0 ? byParent : a.startedAs().compareTo(b.startedAs());
  }

  private String startedAs() {
    return commandLine == null ? "" : commandLine;
  }
}
