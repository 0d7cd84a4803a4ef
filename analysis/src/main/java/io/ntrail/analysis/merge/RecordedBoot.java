package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.identity.RunningWindows;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Facts by which the headers of a recording name the machine and the boot that it is of. What a
 * running machine tells may be added to it only if it is that one, and has not been booted since:
 * numbers of volumes may be others afterwards.
 *
 * @param headers of its files
 */
record RecordedBoot(List<LogFileHeader> headers) {
  /**
   * Windows sets the time of its boot anew whenever its clock is set, usually by less; between two
   * boots of which a recording was made in the first is more.
   */
  private static final long TOLERANCE = 10 * FileTime.SECOND;

  RecordedBoot {
    headers = List.copyOf(headers);
  }

  static RecordedBoot of(EtwRecording recording) {
    return new RecordedBoot(
        recording.files().stream().flatMap(file -> file.header().stream()).toList());
  }

  /**
   * Returns what speaks against a machine; empty if nothing does.
   *
   * @param machine that runs
   */
  Optional<String> contradiction(RunningWindows machine) {
    for (LogFileHeader header : headers) {
      if (header.bootTime() == 0) {
        return Optional.of("the recording does not tell when its machine was booted");
      }
      if (header.providerVersion() != machine.build()) {
        return Optional.of(
            "recorded with build %d of Windows, this is %d"
                .formatted(header.providerVersion(), machine.build()));
      }
      if (header.perfFreq() != machine.ticksPerSecond()) {
        return Optional.of(
            "recorded with a performance counter of %d Hz, this machine has %d Hz"
                .formatted(header.perfFreq(), machine.ticksPerSecond()));
      }
      if (Math.abs(header.bootTime() - machine.bootTime()) > TOLERANCE) {
        return Optional.of(
            "recorded on another machine or boot: booted at %s, this one at %s"
                .formatted(FileTime.text(header.bootTime()), FileTime.text(machine.bootTime())));
      }
    }
    return headers.isEmpty() ? Optional.of("the recording has no header") : Optional.empty();
  }

  /**
   * Returns why a machine is not certainly the one that was recorded; empty if it is: nothing
   * speaks against it, and either its name is the recorded one or its boot the very same.
   *
   * @param names of the machine in the recording
   */
  Optional<String> doubt(RunningWindows machine, Set<String> names) {
    Optional<String> contradiction = contradiction(machine);
    if (contradiction.isPresent()) {
      return contradiction;
    }
    Set<String> here = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    here.addAll(machine.names());
    for (String name : names) {
      if (!here.contains(name)) {
        return Optional.of(
            "recorded on %s, this machine is %s"
                .formatted(name, String.join(" or ", machine.names())));
      }
    }
    boolean isVeryBoot =
        headers.stream().allMatch(header -> header.bootTime() == machine.bootTime());
    return isVeryBoot || !names.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "recorded without a machine name, and its boot time is not exactly this one's");
  }
}
