package io.ntrail.formats.wprp;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.XmlElement;
import io.ntrail.formats.wprp.RecordingProfile.Ids;
import io.ntrail.formats.wprp.RecordingProfile.Kernel;
import io.ntrail.formats.wprp.RecordingProfile.Memory;
import io.ntrail.formats.wprp.RecordingProfile.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * File with recording profiles of WPR: collectors, providers and counters by their ids, and
 * profiles that refer to them or have them inside.
 *
 * <p>Source: Microsoft's pages of the elements of recording profiles, and published profiles.
 * Bounded: a chain of bases, like anything that is referred to, ends after 32 steps.
 */
public final class WprpFile {
  private static final String ROOT = "WindowsPerformanceRecorder";
  private static final String VALUE = "Value";
  private static final String HEAP_PROCESSES = "HeapProcessIds";
  private static final String STATE_AT_START = "CaptureStateOnStart";
  private static final String STATE_AT_SAVE = "CaptureStateOnSave";
  private static final String POOL_TAGS = "PoolTags";
  private static final String PROCESSOR_TRACE = "ProcessorTrace";
  private static final int MOST_BASES = 32;

  private final String file;
  private final List<XmlElement> profiles = new ArrayList<>();
  private final Map<String, XmlElement> byId = new HashMap<>();

  private WprpFile(String file, XmlElement root) {
    this.file = file;
    for (XmlElement one : root.first("Profiles").map(XmlElement::children).orElse(List.of())) {
      if (one.name().equals("Profile")) {
        profiles.add(one);
      }
      index(one);
    }
  }

  /** Things may be defined inside of profiles, too. */
  private void index(XmlElement element) {
    if (!element.attribute("Id").isEmpty()) {
      byId.putIfAbsent(element.name() + ' ' + element.attribute("Id"), element);
    }
    element.children().forEach(this::index);
  }

  /**
   * Reads a file.
   *
   * @param xml its bytes
   * @param file for messages
   * @throws CannotGoOn if it has no profiles of WPR
   */
  public static WprpFile read(byte[] xml, String file) {
    XmlElement root = XmlElement.read(xml, file);
    WprpFile read = new WprpFile(file, root);
    if (!root.name().equals(ROOT) || read.profiles.isEmpty()) {
      throw new CannotGoOn(file + " has no recording profile of WPR", "");
    }
    return read;
  }

  /** Returns the ids of all profiles. */
  public List<String> ids() {
    return profiles.stream().map(profile -> profile.attribute("Id")).toList();
  }

  /**
   * Returns a profile.
   *
   * @param name of it, or its id; empty: the default or first one. Of several of one name WPR takes
   *     the most detailed one; of files and memory that in a file is taken here
   * @throws CannotGoOn if there is none, or it refers to what is not there
   */
  public RecordingProfile profile(String name) {
    List<XmlElement> fitting =
        profiles.stream()
            .filter(one ->
                name.isEmpty()
                    || one.attribute("Name").equalsIgnoreCase(name)
                    || one.attribute("Id").equalsIgnoreCase(name))
            .sorted((a, b) -> Integer.compare(rank(b, name), rank(a, name)))
            .toList();
    if (fitting.isEmpty()) {
      throw new CannotGoOn(
          "%s has no profile %s; it has %s".formatted(file, name, String.join(", ", ids())), "");
    }
    return resolved(fitting.getFirst());
  }

  private static int rank(XmlElement profile, String name) {
    return (profile.attribute("Id").equalsIgnoreCase(name) ? 8 : 0)
        + (profile.attribute("Default").equals("true") ? 4 : 0)
        + (profile.attribute("LoggingMode").equals("File") ? 2 : 0)
        + (profile.attribute("DetailLevel").equals("Verbose") ? 1 : 0);
  }

  private RecordingProfile resolved(XmlElement profile) {
    List<String> ignored = new ArrayList<>();
    Optional<Kernel> system = Optional.empty();
    List<RecordingProfile.Provider> providers = new ArrayList<>();
    Optional<List<Integer>> heaps = Optional.empty();
    int collectors = 0;
    for (XmlElement one : list(profile, "Collectors")) {
      switch (one.name()) {
        case "SystemCollectorId", "SystemCollector" -> system = Optional.of(kernel(one, ignored));
        case "EventCollectorId", "EventCollector" -> {
          collectors++;
          providers(one, providers, ignored);
        }
        case "HeapEventCollectorId", "HeapEventCollector" -> {
          memory(one, ignored);
          List<Integer> processes = new ArrayList<>(heaps.orElse(List.of()));
          processes.addAll(heaps(one));
          heaps = Optional.of(processes);
        }
        default -> ignored.add(at(one));
      }
    }
    for (XmlElement other : profile.children()) {
      if (other.name().equals("TraceMergeProperties")) {
        ignored.add(at(other));
      }
    }
    return new RecordingProfile(
        profile.attribute("Id"),
        profile.attribute("LoggingMode").equals("Memory"),
        system,
        providers,
        heaps,
        collectors,
        ignored);
  }

  /** Returns the processes whose heaps a collector records. */
  private List<Integer> heaps(XmlElement collector) {
    List<Integer> processes = new ArrayList<>();
    for (XmlElement one : list(collector, "HeapEventProviders")) {
      Optional<XmlElement> own = one.first(HEAP_PROCESSES);
      List<XmlElement> ids =
          own.isPresent() ? own.get().children() : list(target(one), HEAP_PROCESSES);
      ids.forEach(id -> processes.add(number(id, id.attribute(VALUE), 0)));
    }
    return processes;
  }

  private static String at(XmlElement element) {
    return "%s (line %d)".formatted(element.name(), element.line());
  }

  /** Returns an element and those that it is based on, the nearest first. */
  private List<XmlElement> bases(XmlElement element) {
    List<XmlElement> bases = new ArrayList<>();
    XmlElement one = element;
    while (true) {
      bases.add(one);
      String base = one.attribute("Base");
      if (base.isEmpty()) {
        return bases;
      }
      XmlElement next = byId.get(element.name() + ' ' + base);
      if (next == null || bases.size() >= MOST_BASES) {
        throw new CannotGoOn(
            "%s, line %d: base %s %s"
                .formatted(
                    file,
                    one.line(),
                    base,
                    next == null ? "is not there" : "leads round in circles"),
            "");
      }
      one = next;
    }
  }

  /** Returns an element's own part or the nearest base's. */
  private Optional<XmlElement> part(XmlElement element, String name) {
    return bases(element).stream().flatMap(one -> one.all(name)).findFirst();
  }

  /** Returns what is in a list, with what it adds to that of a base, or takes from it. */
  private List<XmlElement> list(XmlElement element, String name) {
    List<XmlElement> all = new ArrayList<>();
    for (XmlElement one : bases(element).reversed()) {
      Optional<XmlElement> list = one.first(name);
      if (list.isPresent()) {
        switch (list.get().attribute("Operation")) {
          case "Add" -> all.addAll(list.get().children());
          case "Remove" ->
              all.removeIf(old ->
                  list.get().children().stream()
                      .anyMatch(gone ->
                          gone.name().equals(old.name())
                              && gone.attribute(VALUE).equals(old.attribute(VALUE))));
          default -> {
            all.clear();
            all.addAll(list.get().children());
          }
        }
      }
    }
    return all;
  }

  /** Returns what an element is or refers to: SystemProvider for SystemProviderId. */
  private XmlElement target(XmlElement element) {
    String name = element.name();
    if (!name.endsWith("Id")) {
      return element;
    }
    String kind = name.substring(0, name.length() - 2);
    XmlElement target = byId.get(kind + ' ' + element.attribute(VALUE));
    if (target == null) {
      throw new CannotGoOn(
          "%s, line %d: %s %s is not there"
              .formatted(file, element.line(), kind, element.attribute(VALUE)),
          "");
    }
    return target;
  }

  private Kernel kernel(XmlElement collector, List<String> ignored) {
    List<String> keywords = new ArrayList<>();
    List<String> stacks = new ArrayList<>();
    List<String> tags = new ArrayList<>();
    Map<String, Integer> sampled = new LinkedHashMap<>();
    Map<String, List<String>> counting = new HashMap<>();
    for (XmlElement one : collector.children()) {
      switch (one.name()) {
        case "SystemProviderId", "SystemProvider" -> {
          XmlElement provider = target(one);
          for (XmlElement keyword : list(provider, "Keywords")) {
            (keyword.name().equals("Keyword") ? keywords : ignored)
                .add(keyword.name().equals("Keyword") ? keyword.attribute(VALUE) : at(keyword));
          }
          list(provider, "Stacks").forEach(stack -> stacks.add(stack.attribute(VALUE)));
          list(provider, POOL_TAGS).forEach(tag -> tags.add(tag.attribute(VALUE)));
          others(provider, List.of("Keywords", "Stacks", POOL_TAGS), ignored);
        }
        case "HardwareCounterId", "HardwareCounter" ->
            counters(target(one), sampled, counting, ignored);
        case "BufferSize", "Buffers", "StackCaching", "MaximumFileSize" -> {
          // Read below.
        }
        default -> ignored.add(at(one));
      }
    }
    return new Kernel(
        memory(collector, ignored),
        keywords,
        stacks,
        sampled,
        counting.getOrDefault("Counters", List.of()),
        counting.getOrDefault("Events", List.of()),
        counting.getOrDefault("LastBranch", List.of()),
        counting.getOrDefault("LastBranchFilters", List.of()),
        setting(collector, "StackCaching").isPresent(),
        tags,
        counting.containsKey(PROCESSOR_TRACE));
  }

  private void others(XmlElement element, List<String> known, List<String> ignored) {
    bases(element).stream()
        .flatMap(one -> one.children().stream())
        .filter(one -> !known.contains(one.name()))
        .forEach(one -> ignored.add(at(one)));
  }

  private void counters(
      XmlElement counter,
      Map<String, Integer> sampled,
      Map<String, List<String>> counting,
      List<String> ignored) {
    for (XmlElement one : list(counter, "SampledCounters")) {
      sampled.put(one.attribute(VALUE), number(one, one.attribute("Interval"), 0));
    }
    for (String name : List.of("Counters", "Events")) {
      counting.put(name, list(counter, name).stream().map(one -> one.attribute(VALUE)).toList());
    }
    part(counter, "LastBranch")
        .ifPresent(branch -> {
          counting.put("LastBranch", values(branch, "Events"));
          counting.put("LastBranchFilters", values(branch, "LastBranchFilters"));
        });
    part(counter, PROCESSOR_TRACE)
        .ifPresent(trace -> counting.put(PROCESSOR_TRACE, values(trace, "Events")));
    others(
        counter,
        List.of("SampledCounters", "Counters", "Events", "LastBranch", PROCESSOR_TRACE),
        ignored);
  }

  private static List<String> values(XmlElement element, String list) {
    return element
        .first(list)
        .map(all -> all.children().stream().map(one -> one.attribute(VALUE)).toList())
        .orElse(List.of());
  }

  /** Returns a setting of a collector: a profile can say it otherwise than the collector. */
  private Optional<XmlElement> setting(XmlElement collector, String name) {
    return collector.first(name).or(() -> part(target(collector), name));
  }

  private Memory memory(XmlElement collector, List<String> ignored) {
    Optional<XmlElement> buffers = setting(collector, "Buffers");
    boolean isShare =
        buffers
            .map(one -> List.of("true", "1").contains(one.attribute("PercentageOfTotalMemory")))
            .orElse(false);
    if (isShare) {
      ignored.add("Buffers as a share of the memory (line %d)".formatted(buffers.get().line()));
    }
    setting(collector, "FileMax").ifPresent(one -> ignored.add(at(one)));
    return new Memory(
        setting(collector, "BufferSize").map(one -> number(one, one.attribute(VALUE), 0)).orElse(0),
        isShare ? 0 : buffers.map(one -> number(one, one.attribute(VALUE), 0)).orElse(0),
        setting(collector, "MaximumFileSize")
            .map(one -> number(one, one.attribute(VALUE), 0))
            .orElse(0));
  }

  private int number(XmlElement element, String text, int otherwise) {
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      return Integer.parseUnsignedInt(text);
    } catch (NumberFormatException e) {
      throw new CannotGoOn(
          "%s, line %d: %s is no number".formatted(file, element.line(), text), "");
    }
  }

  private void providers(
      XmlElement collector, List<RecordingProfile.Provider> providers, List<String> ignored) {
    memory(collector, ignored);
    for (XmlElement one : list(collector, "EventProviders")) {
      XmlElement provider = target(one);
      if (!provider.equals(one)) {
        others(one, List.of(STATE_AT_START, STATE_AT_SAVE), ignored);
      }
      providers.add(provider(one, provider, ignored));
    }
  }

  /**
   * Returns a provider.
   *
   * @param reference to it, which may ask for its state otherwise than it does itself
   */
  private RecordingProfile.Provider provider(
      XmlElement reference, XmlElement element, List<String> ignored) {
    long keywords = 0;
    for (XmlElement keyword : list(element, "Keywords")) {
      keywords |= keyword(keyword);
    }
    others(
        element,
        List.of("Keywords", "EventFilters", "StackFilters", STATE_AT_START, STATE_AT_SAVE),
        ignored);
    return new RecordingProfile.Provider(
        attribute(element, "Name"),
        number(element, attribute(element, "Level"), 0),
        keywords,
        attribute(element, "Stack").equals("true"),
        ids(element, "EventFilters"),
        ids(element, "StackFilters"),
        new State(
            attribute(element, "CaptureStateOnly").equals("true"),
            state(reference, element, STATE_AT_START),
            state(reference, element, STATE_AT_SAVE)));
  }

  private OptionalLong state(XmlElement reference, XmlElement element, String name) {
    Optional<XmlElement> asked = reference.first(name).or(() -> part(element, name));
    if (asked.isEmpty()) {
      return OptionalLong.empty();
    }
    long keywords = 0;
    for (XmlElement one : asked.get().all("Keyword").toList()) {
      keywords |= keyword(one);
    }
    return OptionalLong.of(keywords);
  }

  private String attribute(XmlElement element, String name) {
    return bases(element).stream()
        .map(one -> one.attribute(name))
        .filter(value -> !value.isEmpty())
        .findFirst()
        .orElse("");
  }

  private long keyword(XmlElement element) {
    String text = element.attribute(VALUE);
    try {
      return text.regionMatches(true, 0, "0x", 0, 2)
          ? Long.parseUnsignedLong(text.substring(2), 16)
          : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw new CannotGoOn(
          "%s, line %d: %s is no keyword".formatted(file, element.line(), text), "");
    }
  }

  private Optional<Ids> ids(XmlElement element, String name) {
    return part(element, name)
        .map(filter ->
            new Ids(
                !filter.attribute("FilterIn").equals("false"),
                filter.all("EventId").map(one -> number(one, one.attribute(VALUE), 0)).toList()));
  }
}
