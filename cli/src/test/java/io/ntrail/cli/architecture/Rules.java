package io.ntrail.cli.architecture;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Compares classes with a {@link House}; every finding names the class and the line to change. */
final class Rules {
  private static final String PAGE = "ARCHITECTURE.md";
  private static final Set<String> SHARED_BY_FORMATS =
      Set.of(
          House.ROOT + ".formats.bytes",
          House.ROOT + ".formats.collections",
          House.ROOT + ".formats.compression",
          House.ROOT + ".formats.identity");

  /** Modules that a module may use; those that are not listed may use any. */
  private static final Map<String, Set<String>> BELOW =
      Map.of(
          "formats", Set.of(),
          "programs", Set.of("formats"),
          "analysis", Set.of("formats", "programs"),
          "export", Set.of("formats", "programs", "analysis"),
          "live", Set.of("formats", "programs"),
          "cli", Set.of("formats", "programs", "analysis", "export", "live"));

  /** No format: it opens what is packed in some of them. */
  private static final String ABOVE_FORMATS = House.ROOT + ".formats.archives";

  private final House house;
  private final List<String> findings = new ArrayList<>();

  private Rules(House house) {
    this.house = house;
  }

  /**
   * Returns the findings.
   *
   * @param classes of all modules that were compiled
   */
  static List<String> check(House house, Collection<CompiledClass> classes) {
    Rules rules = new Rules(house);
    Map<String, Map<String, CompiledClass>> arrows = rules.arrows(classes);
    rules.packages(classes, arrows);
    rules.floors();
    rules.picture(arrows);
    rules.names(classes);
    rules.circles(arrows);
    for (CompiledClass type : classes) {
      rules.places(type);
      rules.statics(type);
    }
    return rules.findings;
  }

  /** Package to used package to a class that uses it. */
  private Map<String, Map<String, CompiledClass>> arrows(Collection<CompiledClass> classes) {
    Map<String, Map<String, CompiledClass>> arrows = new TreeMap<>();
    for (CompiledClass type : classes) {
      Map<String, CompiledClass> from =
          arrows.computeIfAbsent(type.packageName(), name -> new TreeMap<>());
      for (String used : type.uses().keySet()) {
        String target = CompiledClass.packageOf(used);
        boolean ours = target.startsWith(House.ROOT + ".") && !target.equals(type.packageName());
        if (ours && isType(used)) {
          from.putIfAbsent(target, type);
        }
      }
    }
    return arrows;
  }

  /** Returns true if it is a type and not a field of one. */
  private static boolean isType(String used) {
    String owner = CompiledClass.packageOf(used);
    return !Character.isUpperCase(owner.charAt(owner.lastIndexOf('.') + 1));
  }

  private void packages(
      Collection<CompiledClass> classes, Map<String, Map<String, CompiledClass>> arrows) {
    Set<String> modules =
        classes.stream().map(type -> House.module(type.packageName())).collect(Collectors.toSet());
    for (Map.Entry<String, Map<String, CompiledClass>> from : arrows.entrySet()) {
      House.Room room = house.packages().get(from.getKey());
      if (room == null) {
        CompiledClass example =
            classes.stream()
                .filter(type -> type.packageName().equals(from.getKey()))
                .findFirst()
                .orElseThrow();
        finding(
            "%s is in a package that %s does not list: add a line for %s to its table of packages",
            example.at(0), PAGE, from.getKey());
        continue;
      }
      from.getValue()
          .forEach((target, type) -> {
            if (!room.usesAll() && !room.uses().contains(target)) {
              finding(
                  "%s uses %s, which %s:%d does not allow to %s: take the use out, or add it there",
                  type.at(line(type, target)), target, PAGE, room.line(), room.name());
            }
          });
      for (String target : room.uses()) {
        if (!from.getValue().containsKey(target) && modules.contains(House.module(target))) {
          finding(
              "no class of %s uses %s: take it out of %s:%d",
              room.name(), target, PAGE, room.line());
        }
      }
    }
    for (House.Room room : house.packages().values()) {
      if (!arrows.containsKey(room.name()) && modules.contains(House.module(room.name()))) {
        finding("%s:%d lists %s, which has no classes", PAGE, room.line(), room.name());
      }
    }
  }

  private static int line(CompiledClass type, String target) {
    int line = 0;
    for (Map.Entry<String, Integer> use : type.uses().entrySet()) {
      boolean found = use.getKey().startsWith(target + ".");
      if (found && use.getValue() > 0 && (line == 0 || use.getValue() < line)) {
        line = use.getValue();
      }
    }
    return line;
  }

  /** Checks rules that no line of the page may relax. */
  private void floors() {
    for (House.Room room : house.packages().values()) {
      String module = House.module(room.name());
      for (String used : room.uses()) {
        String target = House.module(used);
        if (target.equals("testkit") && !module.equals("testkit")) {
          finding("%s:%d lets %s use the testkit: only tests may", PAGE, room.line(), room.name());
        }
        if (module.equals("testkit") && !target.equals("testkit")) {
          finding(
              "%s:%d lets %s use %s: the testkit uses nothing of ours",
              PAGE, room.line(), room.name(), used);
        }
        if (module.equals("formats")
            && !room.name().equals(ABOVE_FORMATS)
            && !SHARED_BY_FORMATS.contains(used)
            && !chapter(used).equals(chapter(room.name()))) {
          finding(
              "%s:%d lets %s use %s: a format may use bytes, collections, compression and identity only",
              PAGE, room.line(), room.name(), used);
        }
        Set<String> below = BELOW.get(module);
        if (below != null && !target.equals(module) && !below.contains(target)) {
          finding(
              "%s:%d lets %s use %s: arrows point down only", PAGE, room.line(), room.name(), used);
        }
      }
    }
  }

  /** The format that a package is of, alone or with others: the fourth part of its name. */
  private static String chapter(String name) {
    String[] parts = name.split("\\.", -1);
    return parts.length > 3 ? parts[3] : name;
  }

  /** Every package stands once in the picture, below each package that uses it. */
  private void picture(Map<String, Map<String, CompiledClass>> arrows) {
    Map<String, Integer> rows = house.picture();
    if (rows.isEmpty()) {
      return;
    }
    for (House.Room room : house.packages().values()) {
      if (!room.usesAll() && !rows.containsKey(room.name())) {
        finding("the picture in %s lacks %s, which line %d lists", PAGE, room.name(), room.line());
      }
    }
    for (String drawn : rows.keySet()) {
      if (!house.packages().containsKey(drawn)) {
        finding("the picture in %s has %s, which its table of packages does not list", PAGE, drawn);
      }
    }
    for (Map.Entry<String, Map<String, CompiledClass>> from : arrows.entrySet()) {
      Integer row = rows.get(from.getKey());
      for (Map.Entry<String, CompiledClass> arrow : from.getValue().entrySet()) {
        Integer target = rows.get(arrow.getKey());
        if (row != null && target != null && target <= row) {
          finding(
              "%s uses %s, which is not drawn below %s in the picture in %s",
              arrow.getValue().at(line(arrow.getValue(), arrow.getKey())),
              arrow.getKey(),
              from.getKey(),
              PAGE);
        }
      }
    }
  }

  /** A simple name of a top-level type means one type in the whole house. */
  private void names(Collection<CompiledClass> classes) {
    Map<String, String> seen = new TreeMap<>();
    for (CompiledClass type : classes) {
      String simple = type.name().substring(type.name().lastIndexOf('.') + 1);
      if (simple.contains("$") || simple.endsWith("-info")) {
        continue;
      }
      String other = seen.putIfAbsent(simple, type.name());
      if (other != null) {
        finding("%s and %s have one name: rename one of them", other, type.name());
      }
    }
  }

  private void circles(Map<String, Map<String, CompiledClass>> arrows) {
    Set<String> done = new TreeSet<>();
    for (String start : arrows.keySet()) {
      circle(arrows, new ArrayList<>(List.of(start)), done);
    }
  }

  private void circle(
      Map<String, Map<String, CompiledClass>> arrows, List<String> path, Set<String> done) {
    String last = path.getLast();
    if (done.contains(last)) {
      return;
    }
    for (Map.Entry<String, CompiledClass> arrow : arrows.getOrDefault(last, Map.of()).entrySet()) {
      int before = path.indexOf(arrow.getKey());
      if (before >= 0) {
        finding(
            "packages in a circle: %s -> %s; the last arrow is in %s",
            String.join(" -> ", path.subList(before, path.size())),
            arrow.getKey(),
            arrow.getValue().at(line(arrow.getValue(), arrow.getKey())));
      } else {
        path.add(arrow.getKey());
        circle(arrows, path, done);
        path.removeLast();
      }
    }
    done.add(last);
  }

  private void places(CompiledClass type) {
    String module = House.module(type.packageName());
    if (module.equals("testkit") || module.equals("benchmarks")) {
      return;
    }
    for (House.Place place : house.places()) {
      if (place.packages().contains(type.packageName())) {
        continue;
      }
      for (Map.Entry<String, Integer> use : type.uses().entrySet()) {
        String used = use.getKey();
        String what = place.what();
        if (used.equals(what) || used.startsWith(what + ".") || used.startsWith(what + "$")) {
          finding(
              "%s uses %s, which has its place in %s (%s:%d)",
              type.at(use.getValue()),
              used,
              place.packages().isEmpty() ? "no package" : String.join(", ", place.packages()),
              PAGE,
              place.line());
          break;
        }
      }
    }
  }

  private void statics(CompiledClass type) {
    for (String field : type.changeable()) {
      finding(
          "%s: the static field %s can change: make it final, and private if it is an array",
          type.at(0), field);
    }
  }

  @SuppressWarnings("AnnotateFormatMethod") // a sample in RulesTest runs every one of them
  private void finding(String format, Object... values) {
    findings.add(String.format(java.util.Locale.ROOT, format, values));
  }
}
