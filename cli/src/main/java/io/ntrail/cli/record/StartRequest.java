package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.wprp.RecordingProfile.Memory;
import io.ntrail.live.etw.SessionMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Sessions that {@code record start} is asked for: one of the kernel, one of providers, or both.
 *
 * @param kernel what the kernel logs; empty: nothing but what providers of the system ask for
 * @param settings of the kernel's session
 * @param providers of programs and of the system
 * @param log whether files end or begin anew when they are full
 * @param mebibytes size at which a file, or memory, is full
 * @param extras heaps, and tags of the pool
 * @param memories of the sessions, as a profile has them
 * @param notes of what a profile asks for and is not done
 */
record StartRequest(
    Optional<BootRequest> kernel,
    KernelSettings settings,
    List<ProviderWish> providers,
    Log log,
    int mebibytes,
    StartExtras extras,
    Memories memories,
    List<String> notes) {
  /**
   * Memory of sessions, as far as it is not the usual one.
   *
   * @param kernel of the kernel's
   * @param user of that of providers
   */
  record Memories(Memory kernel, Memory user) {
    /** The usual one. */
    static final Memories USUAL = new Memories(Memory.NONE, Memory.NONE);
  }

  /** Form of the file. */
  enum Log {
    /** The file begins anew. */
    RING(SessionMode.CIRCULAR),
    /** The file ends. */
    SEQUENTIAL(SessionMode.SEQUENTIAL),
    /** There is no file: the last events stay in memory. */
    MEMORY(SessionMode.BUFFERING);

    private final int mode;

    Log(int mode) {
      this.mode = mode;
    }

    /** Returns the bits of LogFileMode. */
    int mode() {
      return mode;
    }
  }

  private static final String PROVIDER = "--provider";
  private static final String DOTNET = "--dotnet";

  /** Option for a profile of WPR, which a boot has, too. */
  static final String PROFILE = "--profile";

  private static final OptionValues<Log> LOGS =
      OptionValues.of("--log", List.of(Log.RING, Log.SEQUENTIAL));

  /** Keeps the list from changes. */
  StartRequest {
    providers = List.copyOf(providers);
    notes = List.copyOf(notes);
  }

  /** Adds the options that only a start has. */
  static void options(CommandSpec spec) {
    spec.addOption(
        CommonOptions.values(
            "NAME[:KEYWORDS[:LEVEL]]",
            "start: a provider by name or GUID; also :stack :id=N :pid=N",
            PROVIDER));
    spec.addOption(
        CommonOptions.value(
            "FILE[!NAME]", "start, boot: a recording profile of WPR (.wprp)", PROFILE));
    spec.addOption(CommonOptions.flag("start: .NET, with the names of its methods", DOTNET));
    spec.addOption(
        CommonOptions.oneOf(
            LOGS.words(),
            "FORM",
            "start: a full file begins anew (default) or ends",
            LOGS.option()));
    KernelSettings.options(spec);
    StartExtras.options(spec);
  }

  /** Returns those options. */
  static List<String> options() {
    List<String> options = new ArrayList<>(List.of(PROVIDER, DOTNET, PROFILE, LOGS.option()));
    options.addAll(KernelSettings.OPTIONS);
    options.addAll(StartExtras.OPTIONS);
    return options;
  }

  /**
   * Returns what the options ask for.
   *
   * @param example of a command line
   * @throws UsageError if it cannot be had
   */
  static StartRequest of(ParseResult parsed, String example) {
    if (CommonOptions.has(parsed, PROFILE)) {
      return profile(parsed);
    }
    List<ProviderWish> providers =
        new ArrayList<>(
            CommonOptions.all(parsed, PROVIDER).stream().map(ProviderWish::of).toList());
    if (CommonOptions.has(parsed, DOTNET)) {
      providers.add(ProviderWish.dotnet());
    }
    StartExtras extras = StartExtras.of(parsed);
    boolean isKernel = CommonOptions.has(parsed, BootRequest.KERNEL);
    if (!isKernel && providers.isEmpty() && extras.heaps().isEmpty()) {
      throw new UsageError(
          "record start needs what to log: --kernel NAME+NAME, --provider NAME, --dotnet or --heap",
          example);
    }
    KernelSettings settings = KernelSettings.of(parsed);
    if (!isKernel && !settings.isEmpty()) {
      throw new UsageError(
          "intervals, counters, branches and the cache of stacks are of sessions of the kernel",
          "--kernel cpu");
    }
    Optional<BootRequest> kernel =
        isKernel ? Optional.of(BootRequest.of(parsed, "start", example)) : Optional.empty();
    List<String> notes = new ArrayList<>(extras.notes(kernel));
    kernel.ifPresent(boot -> notes.addAll(unlogged(settings, boot)));
    return new StartRequest(
        kernel,
        settings,
        providers,
        LOGS.value(parsed, Log.RING),
        BootRequest.mebibytes(parsed),
        extras,
        Memories.USUAL,
        notes);
  }

  /** Tells what settings ask for that is not logged. */
  static List<String> unlogged(KernelSettings settings, BootRequest kernel) {
    return settings.unlogged(kernel.session().groups(), kernel.session().stacks());
  }

  /** Returns what a profile asks for that is to be recorded at a boot; empty if none is named. */
  static Optional<StartRequest> bootProfile(ParseResult parsed) {
    return CommonOptions.has(parsed, PROFILE) ? Optional.of(profile(parsed)) : Optional.empty();
  }

  private static StartRequest profile(ParseResult parsed) {
    List<String> others = new ArrayList<>(options());
    others.addAll(List.of(BootRequest.KERNEL, BootRequest.STACKS));
    others.removeAll(List.of(PROFILE, LOGS.option()));
    for (String other : others) {
      if (CommonOptions.has(parsed, other)) {
        throw new UsageError(
            "--profile says what is recorded: without " + other, "ntrail record -h");
      }
    }
    StartRequest request =
        WprpRequest.of(
            CommonOptions.text(parsed, PROFILE, ""),
            CommonOptions.has(parsed, BootRequest.SIZE) ? BootRequest.mebibytes(parsed) : 0);
    return request.with(LOGS.value(parsed, request.log), request.mebibytes);
  }

  /** Returns it with a form of the file. */
  StartRequest with(Log other, int size) {
    return new StartRequest(kernel, settings, providers, other, size, extras, memories, notes);
  }

  /** Returns it with other providers, and with notes of those that are left out. */
  StartRequest with(List<ProviderWish> others, List<String> more) {
    List<String> all = new ArrayList<>(notes);
    all.addAll(more);
    return new StartRequest(
        kernel, settings, others, log, mebibytes, extras, memories, List.copyOf(all));
  }
}
