package io.ntrail.cli.export;

import io.ntrail.analysis.calls.CallModule;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.naming.ModuleBuilds;
import io.ntrail.analysis.naming.ModuleBuilds.Build;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.cli.calls.CallFilter;
import io.ntrail.cli.calls.CallsScope;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.profile.CallProfile;
import io.ntrail.cli.profile.ProfilePage;
import io.ntrail.cli.profile.ProfileShape;
import io.ntrail.cli.pt.TraceCalls;
import io.ntrail.cli.text.Terminal;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.formats.identity.ImageId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ParseResult;

/** The time of a recording of calls, as {@code profile} adds it up. */
final class RecordedCallStacks implements StackInput {
  private final CallRecording recording;
  private final CallsScope scope;
  private final CallProfile profile;
  private final ParseResult parsed;
  private final int exitCode;

  private RecordedCallStacks(
      CallRecording recording,
      CallsScope scope,
      CallProfile profile,
      ParseResult parsed,
      int exitCode) {
    this.recording = recording;
    this.scope = scope;
    this.profile = profile;
    this.parsed = parsed;
    this.exitCode = exitCode;
  }

  static RecordedCallStacks open(
      RecordingInput input, ProfileShape shape, ParseResult parsed, Terminal terminal) {
    CallProfile.sensible(input.paths().getFirst(), parsed);
    return of(input.open(CallRecording.class), false, 0, shape, parsed, terminal);
  }

  /** Opens the Processor Trace of a recording of Windows. */
  static RecordedCallStacks ofTrace(
      List<Path> paths, ProfileShape shape, ParseResult parsed, Terminal terminal) {
    if (paths.size() != 1) {
      throw new UsageError(
          "--metric pt takes one recording, not " + paths.size(),
          "ntrail export trace.etl --metric pt --to collapsed");
    }
    CallProfile.refuse(paths.getFirst(), parsed);
    TraceCalls trace = TraceCalls.open(paths.getFirst(), false, parsed, terminal);
    return of(trace.recording(), true, trace.exitCode(), shape, parsed, terminal);
  }

  private static RecordedCallStacks of(
      CallRecording recording,
      boolean isTrace,
      int exitCode,
      ProfileShape shape,
      ParseResult parsed,
      Terminal terminal) {
    try {
      CallsScope scope = CallsScope.of(recording, CallFilter.of(parsed), terminal, parsed);
      return new RecordedCallStacks(
          recording, scope, new CallProfile(scope, shape, isTrace), parsed, exitCode);
    } catch (RuntimeException e) {
      recording.close();
      throw e;
    }
  }

  @Override
  public ProfilePage page() {
    return profile;
  }

  @Override
  public void addTo(StackTree tree, int column, FrameNameOptions naming) {
    tree.addAll(profile.tree(), column, naming);
  }

  @Override
  public String remark() {
    return RecordedEventStacks.cut(profile.tree(), profile);
  }

  @Override
  public ModuleBuilds builds() {
    ModuleBuilds builds = new ModuleBuilds();
    for (CallModule module : recording.source().modules()) {
      ImageId id = new ImageId(module.timestamp(), module.size());
      builds.add(module.name(), new Build(id, Optional.ofNullable(module.pdb())));
    }
    return builds;
  }

  @Override
  public List<ProfileRow> rows() {
    return profile.rows();
  }

  @Override
  public List<ProfileRow> openRows() {
    return profile.openRows();
  }

  @Override
  public int finish(boolean isExport) {
    if (!remark().isEmpty()) {
      scope.terminal().err().println("warning: " + remark());
    }
    return Math.max(exitCode, scope.finishTimes(parsed, isExport, profile.total()));
  }

  @Override
  public void close() {
    recording.close();
  }
}
