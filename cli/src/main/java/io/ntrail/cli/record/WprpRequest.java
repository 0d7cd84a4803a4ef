package io.ntrail.cli.record;

import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.record.StartExtras.Heaps;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.KernelGroups;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.formats.wprp.RecordingProfile;
import io.ntrail.formats.wprp.RecordingProfile.Ids;
import io.ntrail.formats.wprp.RecordingProfile.Kernel;
import io.ntrail.formats.wprp.RecordingProfile.Memory;
import io.ntrail.formats.wprp.WprpFile;
import io.ntrail.live.etw.BootSession;
import io.ntrail.live.etw.BootSession.Kind;
import io.ntrail.live.etw.EnableParameters.Filter;
import io.ntrail.live.etw.FlagExtension;
import io.ntrail.live.etw.KernelRequest;
import io.ntrail.live.etw.ProviderRequest;
import io.ntrail.live.etw.StateCapture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Request that a recording profile of WPR stands for; what it leaves out is among its notes. */
final class WprpRequest {
  /** Kinds of branches: WPR's names, and those of {@link KernelSettings}. */
  private static final Map<String, String> BRANCHES =
      Map.of(
          "Kernel", "kernel",
          "User", "user",
          "ConditionalBranches", "conditional",
          "NearRelativeCalls", "calls",
          "NearIndirectCalls", "indirect-calls",
          "NearReturns", "returns",
          "NearIndirectJumps", "indirect-jumps",
          "NearRelativeJumps", "jumps",
          "FarBranches", "far",
          "StackMode", "stack-mode");

  private final RecordingProfile profile;
  private final List<String> notes = new ArrayList<>();

  private WprpRequest(RecordingProfile profile) {
    this.profile = profile;
  }

  /**
   * Reads a profile.
   *
   * @param text path of the file, with an exclamation mark and a profile's name behind it or not
   * @param mebibytes size at which a file is full; 0: as the profile says, else the default
   * @throws CannotGoOn if it cannot be read
   */
  static StartRequest of(String text, int mebibytes) {
    int mark = text.lastIndexOf('!');
    String file = mark < 0 ? text : text.substring(0, mark);
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(Path.of(file));
    } catch (IOException e) {
      throw CannotGoOn.noSuchFile(file, "");
    }
    String name = mark < 0 ? "" : text.substring(mark + 1);
    RecordingProfile profile = WprpFile.read(bytes, file).profile(name);
    if (profile.system().map(Kernel::hasProcessorTrace).orElse(false)) {
      throw new CannotGoOn(
          "profile %s records Processor Trace, which only Windows' own recorder can set up"
              .formatted(profile.id()),
          "wpr -start \"%s!%s\" -filemode, then wpr -stop shop.etl".formatted(file, profile.id()));
    }
    return new WprpRequest(profile).request(mebibytes);
  }

  private StartRequest request(int mebibytes) {
    boolean hasHeaps = profile.heaps().isPresent();
    if (profile.system().isEmpty() && profile.providers().isEmpty() && !hasHeaps) {
      throw new CannotGoOn("profile " + profile.id() + " records nothing", "");
    }
    List<Memory> memories =
        Stream.concat(profile.system().map(Kernel::memory).stream(), Stream.of(profile.memory()))
            .toList();
    int size =
        mebibytes > 0 ? mebibytes : memories.stream().mapToInt(Memory::mebibytes).max().orElse(0);
    List<ProviderWish> providers = profile.providers().stream().map(this::wish).toList();
    KernelSettings settings = profile.system().map(this::settings).orElse(KernelSettings.NONE);
    int most = size > 0 ? size : BootRequest.DEFAULT_MEBIBYTES;
    if (profile.inMemory()) {
      notes.add(
          "WPR keeps this profile in memory; without --flight-recorder it is a ring in a file.");
    }
    if (profile.collectors() > 1) {
      notes.add("The providers of " + profile.collectors() + " collectors are in one session.");
    }
    for (String ignored : profile.ignored().stream().distinct().toList()) {
      notes.add("Not done of the profile: " + ignored + ".");
    }
    if (hasHeaps && profile.heaps().get().isEmpty()) {
      notes.add("Heaps are of programs that wpr -HeapTracingConfig, or TracingFlags, has set up.");
    }
    Optional<BootRequest> kernel = profile.system().map(system -> kernel(system, most));
    kernel.ifPresent(boot -> notes.addAll(StartRequest.unlogged(settings, boot)));
    return new StartRequest(
        kernel,
        settings,
        providers,
        profile.inMemory() || memories.stream().anyMatch(Memory::isRing)
            ? StartRequest.Log.RING
            : StartRequest.Log.SEQUENTIAL,
        most,
        extras(),
        new StartRequest.Memories(
            profile.system().map(Kernel::memory).orElse(Memory.NONE), profile.memory()),
        notes);
  }

  private StartExtras extras() {
    List<Integer> tags = new ArrayList<>();
    for (String tag : profile.system().map(Kernel::poolTags).orElse(List.of())) {
      try {
        tags.addAll(StartExtras.tags(List.of(tag)));
      } catch (UsageError e) {
        notes.add("Not done of the profile: pool tag %s, which is none.".formatted(tag));
      }
    }
    if (tags.size() > KernelRequest.MOST_TAGS) {
      throw new CannotGoOn(
          "profile %s has %d pool tags; Windows takes at most %d"
              .formatted(profile.id(), tags.size(), KernelRequest.MOST_TAGS),
          "");
    }
    return new StartExtras(profile.heaps().map(this::heaps), tags);
  }

  private Heaps heaps(List<Integer> processes) {
    if (processes.size() > FlagExtension.MOST_PROCESSES) {
      throw new CannotGoOn(
          "profile %s has heaps of %d processes; Windows takes at most %d"
              .formatted(profile.id(), processes.size(), FlagExtension.MOST_PROCESSES),
          "");
    }
    List<String> stacks =
        profile.system().map(Kernel::stacks).orElse(List.of()).stream()
            .filter(name -> new StackEvents().ofHeaps(name).isPresent())
            .toList();
    return new Heaps(
        processes, "", StartExtras.stacks(stacks.isEmpty() ? StartExtras.USUAL_STACKS : stacks));
  }

  private BootRequest kernel(Kernel system, int mebibytes) {
    KernelGroups known = new KernelGroups();
    GroupMask mask = GroupMask.NONE;
    for (String keyword : system.keywords()) {
      Optional<GroupMask> group = known.named(keyword);
      if (group.isEmpty()) {
        notes.add("Not recorded: keyword " + keyword + ", which ntrail does not know.");
      }
      mask = mask.and(group.orElse(GroupMask.NONE));
    }
    Map<Integer, StackEvent> stacks = new LinkedHashMap<>();
    List<String> names =
        profile.heaps().isEmpty()
            ? system.stacks()
            : system.stacks().stream()
                .filter(name -> new StackEvents().ofHeaps(name).isEmpty())
                .toList();
    for (StackEvent event : events(names, "stacks of ")) {
      stacks.putIfAbsent(event.hookId(), event);
    }
    List<StackEvent> events = List.copyOf(stacks.values());
    notes.addAll(BootRequest.notes(mask, events, known));
    return new BootRequest(
        new BootSession(Kind.GLOBAL, "", mebibytes, mask, events), known.namesOf(mask), List.of());
  }

  private List<StackEvent> events(List<String> names, String what) {
    StackEvents known = new StackEvents();
    List<StackEvent> events = new ArrayList<>();
    for (String name : names) {
      Optional<StackEvent> event = known.named(name);
      if (event.isEmpty()) {
        notes.add(
            "Not recorded: %s%s, which %s."
                .formatted(
                    what,
                    name,
                    known.isOfOtherSessions(name)
                        ? "sessions of chosen programs log, not the kernel's"
                        : "ntrail does not know"));
      }
      event.ifPresent(events::add);
    }
    return events;
  }

  private KernelSettings settings(Kernel system) {
    List<String> kinds = new ArrayList<>();
    for (String kind : system.branchesLeftOut()) {
      String own = BRANCHES.get(kind);
      if (own == null) {
        throw new UsageError(
            "profile: branches " + kind + " are not known", "--branches-without far");
      }
      kinds.add(own);
    }
    List<StackEvent> counterEvents =
        events(
            system.counterEvents().isEmpty() && !system.counters().isEmpty()
                ? List.of("CSwitch")
                : system.counterEvents(),
            "counters with ");
    return new KernelSettings(
        0,
        system.sampled(),
        system.counters(),
        counterEvents,
        events(system.branchEvents(), "branches of "),
        KernelSettings.bits(kinds),
        system
            .stackCache()
            .map(cache ->
                new KernelSettings.StackCache(
                    Math.multiplyExact(cache.kibibytes(), 1024), cache.buckets())));
  }

  private ProviderWish wish(RecordingProfile.Provider provider) {
    List<Filter> filters = new ArrayList<>();
    provider.events().map(ids -> filter(provider, ids, false)).ifPresent(filters::add);
    provider.stacks().map(ids -> filter(provider, ids, true)).ifPresent(filters::add);
    if (!provider.programs().isEmpty()) {
      List<String> names = List.of(provider.programs().split(";", -1));
      filters.add(
          ProviderWish.programs(names, "profile " + profile.id() + " on " + provider.name()));
    }
    return new ProviderWish(
        provider.name(),
        provider.level() == 0 ? ProviderRequest.VERBOSE : provider.level(),
        provider.keywords() == 0 ? ProviderRequest.ALL_KEYWORDS : provider.keywords(),
        provider.properties(),
        filters,
        new StateCapture(
            provider.state().isOnly(),
            all(provider.state().atStart()),
            all(provider.state().atSave())),
        provider.isStrict());
  }

  /** No keywords stand for all of them. */
  private static OptionalLong all(OptionalLong keywords) {
    return keywords.isPresent() && keywords.getAsLong() == 0
        ? OptionalLong.of(ProviderRequest.ALL_KEYWORDS)
        : keywords;
  }

  private Filter filter(RecordingProfile.Provider provider, Ids ids, boolean isOfStacks) {
    if (ids.ids().size() > ProviderWish.MOST_IDS) {
      throw new CannotGoOn(
          "profile %s filters %s by %d events; Windows takes at most %d"
              .formatted(profile.id(), provider.name(), ids.ids().size(), ProviderWish.MOST_IDS),
          "");
    }
    return isOfStacks
        ? Filter.stacks(ids.isChosen(), ids.ids())
        : Filter.events(ids.isChosen(), ids.ids());
  }
}
