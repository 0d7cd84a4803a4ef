package io.ntrail.cli.record;

import io.ntrail.cli.record.RecordedParts.Part;
import io.ntrail.cli.record.StartExtras.Heaps;
import io.ntrail.cli.record.StartRequest.Log;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.SpellingSuggestion;
import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.KernelGroups;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.wprp.RecordingProfile.Memory;
import io.ntrail.live.etw.ClrRundown;
import io.ntrail.live.etw.EventSourceName;
import io.ntrail.live.etw.HeapRecorder;
import io.ntrail.live.etw.HeapRequest;
import io.ntrail.live.etw.KernelRecorder;
import io.ntrail.live.etw.KernelRequest;
import io.ntrail.live.etw.KernelRequest.More;
import io.ntrail.live.etw.KernelSessionKind;
import io.ntrail.live.etw.MachineRegistry;
import io.ntrail.live.etw.ProfileSource;
import io.ntrail.live.etw.ProviderRecorder;
import io.ntrail.live.etw.ProviderRequest;
import io.ntrail.live.etw.ProviderSessionRequest;
import io.ntrail.live.etw.RegisteredProviders;
import io.ntrail.live.etw.SessionControl;
import io.ntrail.live.etw.SessionProperties.Buffers;
import io.ntrail.live.etw.SessionState;
import io.ntrail.live.etw.Started;
import io.ntrail.live.etw.StateCapture;
import io.ntrail.live.etw.StateRundown;
import io.ntrail.live.etw.StateRundown.Missing;
import io.ntrail.live.etw.SystemProviders;
import io.ntrail.live.etw.TraceSetting;
import io.ntrail.live.windows.WindowsVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Starts the sessions of a request on a Windows: names of providers and counters become what that
 * machine has under them, and what its version has not is refused by name before anything starts.
 */
final class SessionStarter {
  /** Name of the session of heaps. */
  static final String HEAP = "ntrail-heap";

  /** Name of the session of providers. */
  static final String USER = "ntrail-user";

  private static final Buffers KERNEL_BUFFERS = new Buffers(1024, 64, 256);
  private static final Buffers USER_BUFFERS = new Buffers(256, 32, 128);

  /** First build with providers of the system: Server 2022; Windows 11 has 22000. */
  private static final int SYSTEM_PROVIDERS_BUILD = 20348;

  /** First build with a cache of stacks. */
  private static final int STACK_CACHE_BUILD = 19582;

  /** Between two looks at a session that .NET writes into, and how long that may take. */
  private static final Duration PAUSE = Duration.ofMillis(500);

  private static final Duration MOST = Duration.ofSeconds(60);

  private static final Pattern GUID =
      Pattern.compile("\\{?([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})}?");

  private final SessionControl control;
  private final MachineRegistry registry;
  private final WindowsVersion version;
  private final KernelSessionKind kind;

  /**
   * Starts sessions of a version of Windows.
   *
   * @param registry that keeps what is to be done at the end
   */
  SessionStarter(SessionControl control, MachineRegistry registry, WindowsVersion version) {
    this.control = control;
    this.registry = registry;
    this.version = version;
    this.kind = KernelSessionKind.of(version.major(), version.minor());
  }

  /**
   * Session with what logs into it.
   *
   * @param started the session
   * @param providers that are enabled in it
   * @param what else it logs, in words
   */
  record Running(Started started, List<ProviderRequest> providers, String what) {
    /** Keeps the list from changes. */
    Running {
      providers = List.copyOf(providers);
    }

    /** Returns in words what is missing from its beginning. */
    List<String> missing() {
      return started.missing().stream().map(SessionStarter::text).toList();
    }

    /** Makes one without anything else. */
    Running(Started started, List<ProviderRequest> providers) {
      this(started, providers, "");
    }
  }

  /** Paths of recordings. */
  interface Files {
    /**
     * Returns the path of a session.
     *
     * @param part of the recording that it writes
     * @param isAlone whether it is the only one of the recording
     */
    String of(Part part, boolean isAlone);
  }

  /**
   * Starts the sessions of a request; if one cannot be started, none is left.
   *
   * @param files what sessions write
   * @param takesOver whether sessions in the way are stopped
   */
  List<Running> start(StartRequest request, Files files, boolean takesOver) {
    List<ProviderRequest> ofSystem = new ArrayList<>();
    List<ProviderRequest> others = new ArrayList<>();
    for (ProviderRequest one : resolved(request.providers())) {
      (SystemProviders.has(one.guid()) ? ofSystem : others).add(one);
    }
    refuseWhatIsNewer(request, ofSystem);
    List<Running> running = new ArrayList<>();
    KernelRecorder recorder = new KernelRecorder(control, kind);
    Optional<Heaps> heaps = request.extras().heaps();
    boolean hasKernel = request.kernel().isPresent() || !ofSystem.isEmpty();
    if (hasKernel) {
      String file = files.of(Part.KERNEL, others.isEmpty() && heaps.isEmpty());
      running.add(
          new Running(recorder.start(kernel(request, file, ofSystem), takesOver), ofSystem));
    }
    if (!others.isEmpty()) {
      String file = files.of(Part.USER, !hasKernel && heaps.isEmpty());
      running.add(new Running(user(request, file, others, takesOver, running), others));
    }
    if (heaps.isPresent()) {
      String file = files.of(Part.HEAP, running.isEmpty());
      Started started = heaps(request, file, heaps.get(), takesOver, running);
      running.add(new Running(started, List.of(), heaps.get().text()));
    }
    return running;
  }

  /**
   * Has .NET write the names of its methods into a session that records it.
   *
   * @return what is missing then; empty: nothing
   */
  Optional<String> rundown(SessionState session) {
    return switch (new ClrRundown(control, PAUSE, MOST).before(session)) {
      case NOT_RECORDED, COMPLETE -> Optional.empty();
      case CUT_SHORT ->
          Optional.of(
              "the rundown of .NET was cut short after %d s: methods may have no names"
                  .formatted(MOST.toSeconds()));
      case NOT_COUNTED ->
          Optional.of(
              "the rundown of .NET was given 4 s: Windows does not tell whether all of it is in"
                  + " memory");
      case REFUSED -> Optional.of("Windows refused the rundown of .NET: methods may have no names");
    };
  }

  /**
   * Has providers log their states into a session that is about to be written.
   *
   * @return what is missing then
   */
  List<String> captured(SessionState session) {
    return new StateRundown(control, registry)
        .before(session).stream().map(SessionStarter::text).toList();
  }

  /** Returns in words what is missing. */
  private static String text(Missing missing) {
    return "state of provider %s: %s".formatted(missing.provider(), missing.why());
  }

  /** Undoes what a session that has ended left in the registry. */
  void ended(String session) {
    new HeapRecorder(control, registry).ended(session);
  }

  private Started heaps(
      StartRequest request, String file, Heaps heaps, boolean takesOver, List<Running> before) {
    return new HeapRecorder(control, registry)
        .start(
            new HeapRequest(
                HEAP,
                isInMemory(request) ? "" : file,
                buffers(request, KERNEL_BUFFERS),
                request.log().mode(),
                isInMemory(request) ? 0 : request.mebibytes(),
                heaps.processes(),
                heaps.program(),
                heaps.stacks()),
            takesOver,
            before.stream().map(Running::started).toList());
  }

  private Started user(
      StartRequest request,
      String file,
      List<ProviderRequest> providers,
      boolean takesOver,
      List<Running> before) {
    return new ProviderRecorder(control, registry)
        .start(
            new ProviderSessionRequest(
                USER,
                isInMemory(request) ? "" : file,
                buffers(request, buffers(request.memories().user(), USER_BUFFERS)),
                request.log().mode(),
                isInMemory(request) ? 0 : request.mebibytes(),
                providers),
            takesOver,
            before.stream().map(Running::started).toList());
  }

  private KernelRequest kernel(StartRequest request, String file, List<ProviderRequest> ofSystem) {
    KernelSettings settings = request.settings();
    List<TraceSetting> machine = new ArrayList<>();
    if (settings.interval() > 0) {
      machine.add(TraceSetting.interval(0, settings.interval()));
    }
    List<Integer> sampling = new ArrayList<>();
    List<Integer> counting = new ArrayList<>();
    if (!settings.sampled().isEmpty() || !settings.counters().isEmpty()) {
      List<ProfileSource> sources = control.sources();
      for (Map.Entry<String, Integer> one : settings.sampled().entrySet()) {
        ProfileSource source = source(one.getKey(), sources);
        sampling.add(source.number());
        if (one.getValue() > 0) {
          machine.add(TraceSetting.interval(source.number(), interval(source, one.getValue())));
        }
      }
      settings.counters().forEach(name -> counting.add(source(name, sources).number()));
    }
    if (!sampling.isEmpty()) {
      machine.add(TraceSetting.sampledCounters(sampling));
    }
    GroupMask groups = request.kernel().map(boot -> boot.session().groups()).orElse(GroupMask.NONE);
    if (!sampling.isEmpty()) {
      groups = groups.and(new KernelGroups().named("PMC_PROFILE").orElseThrow());
    }
    return new KernelRequest(
        Sessions.NAME,
        isInMemory(request) ? "" : file,
        buffers(request, buffers(request.memories().kernel(), KERNEL_BUFFERS)),
        request.log().mode(),
        isInMemory(request) ? 0 : request.mebibytes(),
        groups,
        request.kernel().map(boot -> boot.session().stacks()).orElse(List.of()),
        new More(machine, settings.session(counting), ofSystem, request.extras().poolTags()));
  }

  private static boolean isInMemory(StartRequest request) {
    return request.log() == Log.MEMORY;
  }

  /** Returns buffers: in memory as many as are kept, else those of a session with a file. */
  private static Buffers buffers(StartRequest request, Buffers ofFile) {
    if (!isInMemory(request)) {
      return ofFile;
    }
    int count = (request.mebibytes() << 10) / ofFile.kibibytes();
    return new Buffers(ofFile.kibibytes(), count, count);
  }

  /** Returns the buffers that a profile asks for, at least the usual ones at most. */
  private Buffers buffers(Memory memory, Buffers usual) {
    int size = memory.kibibytes() == 0 ? usual.kibibytes() : memory.kibibytes();
    int least = memory.buffers() == 0 ? usual.least() : memory.buffers();
    return new Buffers(Math.min(size, kind.mostKibibytes()), least, Math.max(least, usual.most()));
  }

  private static int interval(ProfileSource source, int wanted) {
    if (wanted < source.least() || wanted > source.most()) {
      throw new CannotGoOn(
          "%s can be sampled every %d to %d events, not %d"
              .formatted(source.name(), source.least(), source.most(), wanted),
          "--sample %s=%d".formatted(source.name(), Math.max(source.least(), 65_536)));
    }
    return wanted;
  }

  private static ProfileSource source(String name, List<ProfileSource> sources) {
    return sources.stream()
        .filter(source ->
            source.name().equalsIgnoreCase(name) || Integer.toString(source.number()).equals(name))
        .findFirst()
        .orElseThrow(() -> {
          List<String> names = sources.stream().map(ProfileSource::name).toList();
          String meant = SpellingSuggestion.of(name, names);
          return new CannotGoOn(
              "this machine has no counter %s; it has %s"
                  .formatted(name, names.isEmpty() ? "none" : String.join(", ", names)),
              meant.isEmpty() ? "" : "--counters " + meant);
        });
  }

  /** Refuses what this version of Windows does not have. */
  private void refuseWhatIsNewer(StartRequest request, List<ProviderRequest> ofSystem) {
    if (!request.settings().isEmpty() && !kind.hasSettings()) {
      throw older("intervals, counters, branches and the cache of stacks need Windows 8 or later");
    }
    if (request.settings().stackCache().isPresent() && version.build() < STACK_CACHE_BUILD) {
      throw older("a cache of stacks needs Windows 11, or build " + STACK_CACHE_BUILD + " of 10");
    }
    for (ProviderRequest one : ofSystem) {
      if (!one.capture().equals(StateCapture.NONE)) {
        throw new CannotGoOn(
            "provider %s is the system's: it has no state to be asked for".formatted(one.name()),
            "--provider " + one.name());
      }
    }
    if (!ofSystem.isEmpty() && version.build() < SYSTEM_PROVIDERS_BUILD) {
      throw older(
          "provider %s needs Windows 11 or Server 2022".formatted(ofSystem.getFirst().name()));
    }
  }

  private CannotGoOn older(String what) {
    return CannotGoOn.impossible(
        "%s; this is version %d.%d, build %d"
            .formatted(what, version.major(), version.minor(), version.build()),
        "ntrail record start --kernel NAME+NAME");
  }

  /**
   * Returns providers of another machine.
   *
   * @throws CannotGoOn if one has a name that only that machine knows
   */
  static List<ProviderRequest> known(List<ProviderWish> wishes) {
    return wishes.stream()
        .map(wish ->
            request(
                wish,
                known(wish.name())
                    .orElseThrow(() ->
                        new CannotGoOn(
                            "the GUID of provider %s is known to the machine that is recorded alone"
                                .formatted(wish.name()),
                            "its GUID in the profile; logman query providers lists them"))))
        .toList();
  }

  private static ProviderRequest request(ProviderWish wish, Guid guid) {
    return new ProviderRequest(
        wish.name(),
        guid,
        wish.level(),
        wish.keywords(),
        wish.properties(),
        wish.filters(),
        wish.capture());
  }

  /**
   * Returns a request without the providers that this machine does not have and that it can do
   * without, as profiles of WPR have them; they are noted.
   */
  StartRequest present(StartRequest request) {
    List<ProviderWish> doubtful =
        request.providers().stream()
            .filter(wish -> !wish.isStrict() && known(wish.name()).isEmpty())
            .toList();
    if (doubtful.isEmpty()) {
      return request;
    }
    RegisteredProviders all = control.registered();
    List<ProviderWish> absent =
        doubtful.stream().filter(wish -> all.named(wish.name()) == null).toList();
    List<ProviderWish> rest = new ArrayList<>(request.providers());
    rest.removeAll(absent);
    return request.with(
        rest,
        absent.stream()
            .map(wish ->
                "Not recorded: provider %s, which is not registered on this machine."
                    .formatted(wish.name()))
            .toList());
  }

  /**
   * Returns providers with their GUIDs.
   *
   * @throws CannotGoOn if one is not registered on this machine
   */
  List<ProviderRequest> resolved(List<ProviderWish> wishes) {
    Optional<RegisteredProviders> registered = Optional.empty();
    List<ProviderRequest> requests = new ArrayList<>();
    for (ProviderWish wish : wishes) {
      Optional<Guid> guid = known(wish.name());
      if (guid.isEmpty()) {
        RegisteredProviders all = registered.orElseGet(control::registered);
        registered = Optional.of(all);
        guid = Optional.of(registered(wish.name(), all));
      }
      Guid its = guid.get();
      if (requests.stream().anyMatch(other -> other.guid().equals(its))) {
        throw new CannotGoOn(
            "provider %s is named twice; Windows would keep what the second asks for alone"
                .formatted(wish.name()),
            "one --provider with all keywords");
      }
      requests.add(request(wish, its));
    }
    return requests;
  }

  /** Returns the GUID that follows from the name alone. */
  private static Optional<Guid> known(String name) {
    var guid = GUID.matcher(name);
    if (guid.matches()) {
      return Optional.of(Guid.parse(guid.group(1)));
    }
    return name.startsWith("*")
        ? Optional.of(EventSourceName.guid(name.substring(1)))
        : SystemProviders.named(name);
  }

  private static Guid registered(String name, RegisteredProviders all) {
    Guid guid = all.named(name);
    if (guid != null) {
      return guid;
    }
    String meant = SpellingSuggestion.of(name, all.names());
    throw new CannotGoOn(
        "no provider %s is registered on this machine".formatted(name),
        meant.isEmpty()
            ? "its GUID; or --provider *NAME for an EventSource"
            : "--provider " + meant);
  }
}
