package io.ntrail.cli.export;

import io.ntrail.analysis.naming.ModuleBuilds;
import io.ntrail.analysis.naming.ModuleBuilds.Build;
import io.ntrail.analysis.naming.ModuleBuilds.Difference;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.identity.PdbId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Modules of a comparison that are different builds in its two recordings. */
record DifferentBuilds(List<Difference> list) {
  private static final int SHOWN = 5;

  /** Returns those that have rows. */
  static DifferentBuilds of(Map<String, Difference> all, List<DiffRow> rows) {
    Set<String> keys = new HashSet<>();
    for (DiffRow row : rows) {
      String module = row.subject().module();
      if (module != null) {
        keys.add(ModuleBuilds.key(module));
      }
    }
    return new DifferentBuilds(
        all.entrySet().stream()
            .filter(entry -> keys.contains(entry.getKey()))
            .map(Map.Entry::getValue)
            .toList());
  }

  /** Returns what people read of them: their identities, and what that means for rows. */
  List<String> lines() {
    if (list.isEmpty()) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        "different builds of "
            + Numbers.counted(list.size(), "module")
            + ": functions without a name are compared as one");
    for (Difference difference : list.subList(0, Math.min(SHOWN, list.size()))) {
      lines.add(
          "  "
              + difference.module()
              + ": "
              + text(difference.before())
              + " before, "
              + text(difference.after())
              + " after");
    }
    if (list.size() > SHOWN) {
      lines.add("  " + (list.size() - SHOWN) + " more (--format json lists all)");
    }
    return lines;
  }

  private static String text(List<Build> builds) {
    return builds.stream().map(DifferentBuilds::text).collect(Collectors.joining(", "));
  }

  private static String text(Build build) {
    String size = Numbers.hex(build.id().size()) + " bytes";
    String code = build.id().timestamp() == 0 ? size : "code id " + build.id().key();
    return build.pdb().map(pdb -> "PDB " + pdb.guid() + " age " + pdb.age()).orElse(code);
  }

  /** Writes them as a member of an open object. */
  void json(Json json) {
    json.array("builds");
    for (Difference difference : list) {
      json.object().text("module", difference.module());
      builds(json, "before", difference.before());
      builds(json, "after", difference.after());
      json.endObject();
    }
    json.endArray();
  }

  private static void builds(Json json, String key, List<Build> builds) {
    json.array(key);
    for (Build build : builds) {
      json.object();
      if (build.id().timestamp() == 0) {
        json.unknown("timestamp");
      } else {
        json.number("timestamp", build.id().timestamp());
      }
      json.number("size", build.id().size());
      if (build.pdb().isPresent()) {
        PdbId pdb = build.pdb().get();
        json.object("pdb").text("guid", pdb.guid().toString()).number("age", pdb.age()).endObject();
      } else {
        json.unknown("pdb");
      }
      json.endObject();
    }
    json.endArray();
  }
}
