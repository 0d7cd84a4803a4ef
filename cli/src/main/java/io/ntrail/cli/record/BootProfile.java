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
  static BootRequest of(
      StartRequest profile,
      ParseResult parsed,
      Function<List<ProviderWish>, List<ProviderRequest>> resolved) {
    return new BootProfile(profile, parsed).request(resolved);
  }

  private BootRequest request(Function<List<ProviderWish>, List<ProviderRequest>> resolved) {
    BootRequest kernel =
        request
            .kernel()
            .orElseThrow(() ->
                new CannotGoOn(
                    "the profile records nothing of the kernel, which record boot is for",
                    EXAMPLE));
    if (!request.settings().isEmpty()) {
      notes.add("Not done at a boot: intervals, counters, branches and the cache of stacks.");
    }
    if (!request.extras().equals(StartExtras.NONE)) {
      notes.add("Not done at a boot: heaps and pool tags.");
    }
    List<ProviderRequest> providers =
        resolved.apply(request.providers()).stream().filter(this::isDone).toList();
    String file = BootRequest.file(parsed);
    if (!providers.isEmpty() && file.isEmpty()) {
      throw new CannotGoOn(
          "the profile has providers, whose session has a file of its own: --etl names both",
          EXAMPLE);
    }
    BootSession session =
        new BootSession(
            BootRequest.kind(parsed),
            providers.isEmpty() ? file : RecordedParts.part(file, RecordedParts.Part.KERNEL),
            request.mebibytes(),
            kernel.session().groups(),
            kernel.session().stacks());
    notes.addAll(kernel.notes());
    return new BootRequest(
        session,
        kernel.groups(),
        notes,
        providers.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new BootProviders(
                    RecordedParts.part(file, RecordedParts.Part.USER),
                    request.mebibytes(),
                    providers)));
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
