package io.ntrail.formats.wprp;

import static io.ntrail.formats.wprp.ProfileElements.VALUE;
import static io.ntrail.formats.wprp.ProfileElements.at;

import io.ntrail.formats.bytes.XmlElement;
import io.ntrail.formats.wprp.RecordingProfile.Ids;
import io.ntrail.formats.wprp.RecordingProfile.Kernel;
import io.ntrail.formats.wprp.RecordingProfile.Memory;
import io.ntrail.formats.wprp.RecordingProfile.StackCache;
import io.ntrail.formats.wprp.RecordingProfile.State;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/** Reader of one profile, with all that it refers to; what it does not take is named. */
final class ProfileReader {
  private static final int MOST_CACHE_KIBIBYTES = 1 << 20;
  private static final String KEYWORDS = "Keywords";
  private static final String STACKS = "Stacks";
  private static final String POOL_TAGS = "PoolTags";
  private static final String HEAP_PROCESSES = "HeapProcessIds";
  private static final String STATE_AT_START = "CaptureStateOnStart";
  private static final String STATE_AT_SAVE = "CaptureStateOnSave";
  private static final String EVENT_FILTERS = "EventFilters";
  private static final String STACK_FILTERS = "StackFilters";
  private static final String LAST_BRANCH = "LastBranch";
  private static final String PROCESSOR_TRACE = "ProcessorTrace";
  private static final String BUFFER_SIZE = "BufferSize";
  private static final String BUFFERS = "Buffers";
  private static final String STACK_CACHING = "StackCaching";
  private static final String FILE_SIZE = "MaximumFileSize";
  private static final String SHARE = "PercentageOfTotalMemory";
  private static final String STRICT = "Strict";

  /** Attributes that say what a thing is called. */
  private static final List<String> NAMES = List.of("Id", "Name", "Base", VALUE, STRICT);

  /** Attributes of a provider that are bits of EVENT_ENABLE_PROPERTY (evntrace.h). */
  private static final Map<String, Integer> PROPERTIES =
      Map.of("SID", 1, "TSID", 2, "Stack", 4, "EventKey", 0x100);

  private final ProfileElements elements;
  private final XmlElement profile;
  private final List<String> ignored = new ArrayList<>();

  private final Set<String> systems = new LinkedHashSet<>();
  private final List<String> keywords = new ArrayList<>();
  private final List<String> stacks = new ArrayList<>();
  private final List<String> tags = new ArrayList<>();
  private final Map<String, Integer> sampled = new LinkedHashMap<>();
  private final List<String> counters = new ArrayList<>();
  private final List<String> counterEvents = new ArrayList<>();
  private final List<String> branchEvents = new ArrayList<>();
  private final List<String> branchesLeftOut = new ArrayList<>();
  private Optional<StackCache> stackCache = Optional.empty();
  private Memory systemMemory = Memory.NONE;
  private boolean hasProcessorTrace;

  private final Set<String> collectors = new LinkedHashSet<>();
  private final Map<String, RecordingProfile.Provider> providers = new LinkedHashMap<>();
  private Memory memory = Memory.NONE;

  private final List<Integer> heaps = new ArrayList<>();
  private boolean hasHeaps;

  /** Reads a profile of a file. */
  ProfileReader(ProfileElements elements, XmlElement profile) {
    this.elements = elements;
    this.profile = profile;
  }

  /** Returns the profile. */
  RecordingProfile profile() {
    for (XmlElement one : ProfileElements.list(elements.bases(profile), "Collectors")) {
      switch (one.name()) {
        case "SystemCollectorId", "SystemCollector" -> system(one);
        case "EventCollectorId", "EventCollector" -> events(one);
        case "HeapEventCollectorId", "HeapEventCollector" -> heaps(one);
        default -> ignored.add(at(one));
      }
    }
    if (systems.size() > 1) {
      ignored.add("sessions of its own for each of %d system collectors".formatted(systems.size()));
    }
    profile.all("TraceMergeProperties").forEach(one -> ignored.add(at(one)));
    return new RecordingProfile(
        profile.attribute("Id"),
        profile.attribute("LoggingMode").equals("Memory"),
        systems.isEmpty() ? Optional.empty() : Optional.of(kernel()),
        List.copyOf(providers.values()),
        memory,
        hasHeaps ? Optional.of(heaps) : Optional.empty(),
        collectors.size(),
        ignored);
  }

  private Kernel kernel() {
    return new Kernel(
        systemMemory,
        distinct(keywords),
        distinct(stacks),
        sampled,
        distinct(counters),
        distinct(counterEvents),
        distinct(branchEvents),
        distinct(branchesLeftOut),
        stackCache,
        distinct(tags),
        hasProcessorTrace);
  }

  private static List<String> distinct(List<String> all) {
    return all.stream().distinct().toList();
  }

  /** Returns the layers of a collector: what WPR has built in only a machine with it knows. */
  private List<XmlElement> collector(XmlElement reference, Set<String> known) {
    String id = reference.attribute(VALUE) + reference.attribute("Id");
    known.add(id);
    if (elements.find(reference).isEmpty()) {
      ignored.add(
          "collector %s, which is not in the file (line %d)".formatted(id, reference.line()));
      return List.of(reference);
    }
    return elements.layers(reference);
  }

  private void system(XmlElement reference) {
    List<XmlElement> layers = collector(reference, systems);
    systemMemory = systemMemory.and(memory(layers));
    Optional<XmlElement> cache = ProfileElements.part(layers, STACK_CACHING);
    if (cache.isPresent()) {
      attributes(cache.stream(), List.of("CacheSize", "BucketCount"));
      int size = elements.number(cache.get(), "CacheSize");
      if (size > MOST_CACHE_KIBIBYTES) {
        throw elements.failure(
            cache.get(), "CacheSize is %d KiB, more than a gigabyte".formatted(size));
      }
      stackCache = Optional.of(new StackCache(size, elements.number(cache.get(), "BucketCount")));
    }
    children(
        layers,
        List.of("SystemProviderId", "SystemProvider", "HardwareCounterId", "HardwareCounter"));
    for (XmlElement one : reference.children()) {
      switch (one.name()) {
        case "SystemProviderId", "SystemProvider" -> systemProvider(elements.layers(one));
        case "HardwareCounterId", "HardwareCounter" -> counter(elements.layers(one));
        default -> {
          // Of the collector, and read above.
        }
      }
    }
  }

  /** Names children of a collector that are not taken. */
  private void children(List<XmlElement> layers, List<String> others) {
    List<String> known = new ArrayList<>(others);
    known.addAll(List.of(BUFFER_SIZE, BUFFERS, STACK_CACHING, FILE_SIZE));
    others(layers, known);
    List<String> names = new ArrayList<>(NAMES);
    names.add("FileName");
    attributes(layers.stream(), names);
  }

  private void systemProvider(List<XmlElement> layers) {
    for (XmlElement keyword : ProfileElements.list(layers, KEYWORDS)) {
      attributes(Stream.of(keyword), List.of(VALUE, STRICT));
      boolean isKnown = keyword.name().equals("Keyword") || keyword.name().equals("CustomKeyword");
      (isKnown ? keywords : ignored).add(isKnown ? keyword.attribute(VALUE) : at(keyword));
    }
    stacks.addAll(values(layers, STACKS));
    tags.addAll(values(layers, POOL_TAGS));
    others(layers, List.of(KEYWORDS, STACKS, POOL_TAGS));
    attributes(layers.stream(), NAMES);
  }

  /** Names children that are not taken. */
  private void others(List<XmlElement> layers, List<String> known) {
    layers.stream()
        .flatMap(one -> one.children().stream())
        .filter(one -> !known.contains(one.name()))
        .forEach(one -> ignored.add(at(one)));
  }

  /** Names attributes that are not taken, unless they say no. */
  private void attributes(Stream<XmlElement> of, List<String> known) {
    of.forEach(element ->
        element
            .attributes()
            .forEach((name, value) -> {
              if (!known.contains(name) && !List.of("false", "0", "").contains(value)) {
                ignored.add("%s of %s".formatted(name, at(element)));
              }
            }));
  }

  private List<String> values(List<XmlElement> layers, String list) {
    List<XmlElement> all = ProfileElements.list(layers, list);
    attributes(all.stream(), List.of(VALUE, STRICT));
    return all.stream().map(one -> one.attribute(VALUE)).toList();
  }

  private void counter(List<XmlElement> layers) {
    for (XmlElement one : ProfileElements.list(layers, "SampledCounters")) {
      sampled.put(one.attribute(VALUE), elements.number(one, "Interval"));
      attributes(Stream.of(one), List.of(VALUE, "Interval", STRICT));
    }
    counters.addAll(values(layers, "Counters"));
    counterEvents.addAll(values(layers, "Events"));
    ProfileElements.part(layers, LAST_BRANCH)
        .ifPresent(branch -> {
          branchEvents.addAll(values(List.of(branch), "Events"));
          branchesLeftOut.addAll(values(List.of(branch), "LastBranchFilters"));
          others(List.of(branch), List.of("Events", "LastBranchFilters"));
        });
    hasProcessorTrace |= ProfileElements.part(layers, PROCESSOR_TRACE).isPresent();
    others(layers, List.of("SampledCounters", "Counters", "Events", LAST_BRANCH, PROCESSOR_TRACE));
    attributes(layers.stream(), NAMES);
  }

  private Memory memory(List<XmlElement> layers) {
    Optional<XmlElement> buffers = ProfileElements.part(layers, BUFFERS);
    boolean isShare = buffers.map(one -> ProfileElements.isTrue(List.of(one), SHARE)).orElse(false);
    if (isShare) {
      ignored.add("Buffers as a share of the memory (line %d)".formatted(buffers.get().line()));
    }
    Optional<XmlElement> size = ProfileElements.part(layers, BUFFER_SIZE);
    Optional<XmlElement> file = ProfileElements.part(layers, FILE_SIZE);
    String mode = file.map(one -> one.attribute("FileMode")).orElse("");
    boolean isRing = mode.equals("Circular");
    if (!isRing && !mode.isEmpty() && !mode.equals("Sequential")) {
      ignored.add("FileMode %s of %s".formatted(mode, at(file.orElseThrow())));
    }
    attributes(
        Stream.of(buffers, size, file).flatMap(Optional::stream).filter(this::isOperation),
        List.of(VALUE, SHARE, "MaximumBufferSpace", "FileMode"));
    return new Memory(
        size.map(one -> elements.number(one, VALUE)).orElse(0),
        isShare ? 0 : buffers.map(one -> elements.number(one, VALUE)).orElse(0),
        file.map(one -> elements.number(one, VALUE)).orElse(0),
        isRing);
  }

  private boolean isOperation(XmlElement element) {
    return !element.attribute("Operation").equals("Set");
  }

  private void events(XmlElement reference) {
    List<XmlElement> layers = collector(reference, collectors);
    memory = memory.and(memory(layers));
    ProfileElements.part(layers, STACK_CACHING).ifPresent(one -> ignored.add(at(one)));
    children(layers, List.of("EventProviders"));
    for (XmlElement one : ProfileElements.list(layers, "EventProviders")) {
      RecordingProfile.Provider provider = provider(elements.layers(one));
      providers.merge(provider.name().toLowerCase(Locale.ROOT), provider, this::both);
    }
  }

  private RecordingProfile.Provider provider(List<XmlElement> layers) {
    long bits = 0;
    for (XmlElement keyword : ProfileElements.list(layers, KEYWORDS)) {
      bits |= elements.keyword(keyword);
    }
    int properties = 0;
    List<String> known = new ArrayList<>(NAMES);
    for (Map.Entry<String, Integer> one : PROPERTIES.entrySet()) {
      properties |= ProfileElements.isTrue(layers, one.getKey()) ? one.getValue() : 0;
      known.add(one.getKey());
    }
    // Buffers are never paged here, so that all providers can write into them.
    known.addAll(List.of("Level", "NonPagedMemory", "ProcessExeFilter", "CaptureStateOnly"));
    attributes(layers.stream(), known);
    others(layers, List.of(KEYWORDS, EVENT_FILTERS, STACK_FILTERS, STATE_AT_START, STATE_AT_SAVE));
    return new RecordingProfile.Provider(
        ProfileElements.attribute(layers, "Name"),
        layers.stream()
            .filter(one -> !one.attribute("Level").isEmpty())
            .findFirst()
            .map(one -> elements.number(one, "Level"))
            .orElse(0),
        bits,
        properties,
        ids(layers, EVENT_FILTERS),
        ids(layers, STACK_FILTERS),
        ProfileElements.attribute(layers, "ProcessExeFilter"),
        ProfileElements.isTrue(layers, STRICT),
        new State(
            ProfileElements.isTrue(layers, "CaptureStateOnly"),
            state(layers, STATE_AT_START),
            state(layers, STATE_AT_SAVE)));
  }

  /** Returns what a provider logs that two collectors have, which are one session here. */
  private RecordingProfile.Provider both(
      RecordingProfile.Provider one, RecordingProfile.Provider other) {
    return new RecordingProfile.Provider(
        one.name(),
        one.level() == 0 || other.level() == 0 ? 0 : Math.max(one.level(), other.level()),
        one.keywords() == 0 || other.keywords() == 0 ? 0 : one.keywords() | other.keywords(),
        one.properties() | other.properties(),
        both(one.events(), other.events()),
        both(one.stacks(), other.stacks()),
        one.programs().equals(other.programs()) ? one.programs() : "",
        one.isStrict() || other.isStrict(),
        new State(
            one.state().isOnly() && other.state().isOnly(),
            both(one.state().atStart(), other.state().atStart()),
            both(one.state().atSave(), other.state().atSave())));
  }

  /** Returns the events of both; empty, which is all, if they cannot be told by one list. */
  private static Optional<Ids> both(Optional<Ids> one, Optional<Ids> other) {
    boolean areChosen =
        one.map(Ids::isChosen).orElse(false) && other.map(Ids::isChosen).orElse(false);
    if (!areChosen) {
      return one.equals(other) ? one : Optional.empty();
    }
    Stream<Integer> all = Stream.of(one, other).flatMap(ids -> ids.orElseThrow().ids().stream());
    return Optional.of(new Ids(true, all.distinct().toList()));
  }

  private static OptionalLong both(OptionalLong one, OptionalLong other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() ? other : one;
    }
    boolean isAll = one.getAsLong() == 0 || other.getAsLong() == 0;
    return OptionalLong.of(isAll ? 0 : one.getAsLong() | other.getAsLong());
  }

  private OptionalLong state(List<XmlElement> layers, String name) {
    Optional<XmlElement> asked = ProfileElements.part(layers, name);
    if (asked.isEmpty()) {
      return OptionalLong.empty();
    }
    long bits = 0;
    for (XmlElement one : asked.get().all("Keyword").toList()) {
      bits |= elements.keyword(one);
    }
    return OptionalLong.of(bits);
  }

  private Optional<Ids> ids(List<XmlElement> layers, String name) {
    return ProfileElements.part(layers, name)
        .map(filter ->
            new Ids(
                !filter.attribute("FilterIn").equals("false"),
                filter.all("EventId").map(one -> elements.number(one, VALUE)).toList()));
  }

  /** Adds the processes whose heaps a collector records. */
  private void heaps(XmlElement reference) {
    hasHeaps = true;
    List<XmlElement> layers = collector(reference, new LinkedHashSet<>());
    memory(layers);
    children(layers, List.of("HeapEventProviders"));
    for (XmlElement one : ProfileElements.list(layers, "HeapEventProviders")) {
      for (XmlElement id : ProfileElements.list(elements.layers(one), HEAP_PROCESSES)) {
        heaps.add(elements.number(id, VALUE));
      }
    }
  }
}
