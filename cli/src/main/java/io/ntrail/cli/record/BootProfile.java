package io.ntrail.cli.record;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.etw.BootProviders;
import io.ntrail.live.etw.BootSession;
import io.ntrail.live.etw.ProviderRequest;
import io.ntrail.live.etw.StateCapture;
import io.ntrail.live.etw.SystemProviders;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.ParseResult;

/** Recording of a boot that a profile of WPR stands for; what it leaves out is among its notes. */
final class BootProfile {
  private static final String EXAMPLE =
      "ntrail record boot --profile mine.wprp --etl 'C:\\boot.etl' --reg boot.reg";

  private final StartRequest request;
  private final ParseResult parsed;
  private final List<String> notes;

  private BootProfile(StartRequest request, ParseResult parsed) {
    this.request = request;
    this.parsed = parsed;
    this.notes = new ArrayList<>(request.notes());
  }

  /**
   * Returns the recording.
   *
   * @param profile that was read
   * @param resolved returns providers with their GUIDs
   * @throws CannotGoOn if it cannot be had at a boot
   */
  static BootPlan of(
      StartRequest profile,
      ParseResult parsed,
      Function<List<ProviderWish>, List<ProviderRequest>> resolved) {
    return new BootProfile(profile, parsed).plan(resolved);
  }

  private BootPlan plan(Function<List<ProviderWish>, List<ProviderRequest>> resolved) {
    if (!request.settings().isEmpty()) {
      notes.add("Not done at a boot: intervals, counters, branches and the cache of stacks.");
    }
    if (!request.extras().equals(StartExtras.NONE)) {
      notes.add("Not done at a boot: heaps and pool tags.");
    }
    List<ProviderRequest> providers =
        resolved.apply(request.providers()).stream().filter(this::isDone).toList();
    Optional<BootRequest> kernel = request.kernel();
    if (kernel.isEmpty() && providers.isEmpty()) {
      throw new CannotGoOn(
          "the profile records nothing at a boot: "
              + String.join(" ", notes.isEmpty() ? List.of("it has no providers.") : notes),
          EXAMPLE);
    }
    String file = BootRequest.file(parsed);
    boolean areBoth = kernel.isPresent() && !providers.isEmpty();
    if (areBoth && file.isEmpty()) {
      throw new CannotGoOn(
          "the profile has providers, whose session has a file of its own: --etl names both",
          EXAMPLE);
    }
    kernel.ifPresent(its -> notes.addAll(its.notes()));
    return new BootPlan(
        kernel.map(its ->
            new BootRequest(
                new BootSession(
                    BootRequest.kind(parsed),
                    areBoth ? RecordedParts.part(file, RecordedParts.Part.KERNEL) : file,
                    request.mebibytes(),
                    its.session().groups(),
                    its.session().stacks()),
                its.groups(),
                its.notes())),
        providers.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new BootProviders(
                    areBoth ? RecordedParts.part(file, RecordedParts.Part.USER) : file,
                    request.mebibytes(),
                    providers)),
        notes);
  }

  private boolean isDone(ProviderRequest one) {
    if (SystemProviders.has(one.guid())) {
      notes.add("Not done at a boot: provider %s of the system.".formatted(one.name()));
      return false;
    }
    if (!one.filters().isEmpty()) {
      notes.add("Not done at a boot: filters of %s.".formatted(one.name()));
    }
    if (!one.capture().equals(StateCapture.NONE)) {
      notes.add("Not done at a boot: capture of the state of %s.".formatted(one.name()));
    }
    return !one.capture().isOnly();
  }
}
