package io.ntrail.cli.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.MachineImages;
import io.ntrail.analysis.merge.MachineRecords;
import io.ntrail.cli.common.ProgramHost;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.machine.MachineQuestions;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * The Windows that is asked for what a recording of it lacks.
 *
 * @param host of the agent that asks; empty if there is no Windows
 * @param files returns the file of a path of that Windows, as in {@code C:\Windows\win.ini}
 */
public record MergeMachine(Optional<AgentHost> host, Function<String, Path> files) {
  /**
   * Result of the questions.
   *
   * @param machine what it tells of itself; empty if it could not be asked
   * @param records that are added, or listed as missing
   */
  record Answer(
      Optional<RunningWindows> machine, Function<String, Path> files, MachineRecords records) {
    /** Returns the images of the machine if a recording is of it. */
    Optional<MachineImages> images(EtwRecording recording) {
      return machine.flatMap(its -> MachineImages.of(its, recording, files));
    }
  }

  /** Returns the machine that this program runs on. */
  static MergeMachine here() {
    return new MergeMachine(
        ProgramHost.isWindows() ? Optional.of(new AgentHost.Local()) : Optional.empty(), Path::of);
  }

  Answer ask() {
    if (host.isEmpty()) {
      return new Answer(Optional.empty(), files, MachineRecords.without("not on Windows"));
    }
    try {
      RunningWindows machine = MachineQuestions.ask(host.get());
      return new Answer(Optional.of(machine), files, MachineRecords.of(machine));
    } catch (CannotGoOn e) {
      String why = "this machine could not be asked: " + e.message();
      return new Answer(Optional.empty(), files, MachineRecords.without(why));
    }
  }
}
