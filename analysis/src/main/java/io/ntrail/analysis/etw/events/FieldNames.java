package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.InType;
import io.ntrail.formats.schema.Schema;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Names of the fields of the events so far, to distinguish a name that no event has from one whose
 * values did not match.
 */
final class FieldNames {
  /** Schemas that are remembered; more are looked at again. */
  private static final int MOST_SCHEMAS = 1 << 14;

  /** Names that are kept; with more, a missing name cannot be reported. */
  private static final int MOST_NAMES = 1 << 16;

  private final Set<Schema> schemas = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<String> values = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
  private final Set<String> groups = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
  private @Nullable Schema last;
  private boolean any;

  /** Learns from an event. */
  void meet(EventType type) {
    any = true;
    Schema schema = type.schema();
    if (schema == null || schema == last) {
      return;
    }
    last = schema;
    if (schemas.size() >= MOST_SCHEMAS) {
      schemas.clear();
    }
    if (schemas.add(schema)) {
      add("", schema.fields());
    }
  }

  /** Adds the names that another one has met. */
  void addSeen(FieldNames other) {
    any |= other.any;
    if (values.size() + groups.size() < MOST_NAMES) {
      values.addAll(other.values);
      groups.addAll(other.groups);
    }
  }

  private void add(String prefix, List<Field> fields) {
    for (Field field : fields) {
      if (values.size() + groups.size() >= MOST_NAMES) {
        return;
      }
      if (field.isHidden()) {
        continue;
      }
      String name = prefix + field.name();
      if (field.isArray()) {
        groups.add(name);
      } else if (field.in() == InType.STRUCT) {
        groups.add(name);
        add(name + ".", field.members());
      } else {
        values.add(name);
        String beside = ValueDescriptions.besideName(field);
        if (beside != null) {
          values.add(prefix + beside);
        }
        String nanos = ValueDescriptions.nanosName(field);
        if (nanos != null) {
          values.add(prefix + nanos);
        }
      }
    }
  }

  /** Returns true if it is certain that no event has a single value of this name. */
  boolean lacks(String name) {
    return any
        && values.size() + groups.size() < MOST_NAMES
        && !has(name)
        && !EventValues.OWN.contains(name);
  }

  /**
   * Returns true if events have a list or a structure of this name, which is not a single value.
   */
  boolean isGroup(String name) {
    return groups.contains(name) || groups.contains(EventValues.bare(name));
  }

  /** Returns a name that is lacking, with the nearest that is there. */
  UnmatchedTerm unmatched(String asked) {
    return isGroup(asked)
        ? new UnmatchedTerm(UnmatchedTerm.What.GROUP, asked, "")
        : UnmatchedTerm.of(UnmatchedTerm.What.FIELD, asked, known());
  }

  /** Returns whether events have a single value of this name. */
  boolean has(String name) {
    return values.contains(name) || values.contains(EventValues.bare(name));
  }

  /** Returns those of some names that are lacking, or that fields have as well as the event. */
  List<UnmatchedTerm> unmatched(List<String> asked) {
    return asked.stream()
        .filter(name -> lacks(name) || isOwnToo(name))
        .map(name ->
            isOwnToo(name)
                ? new UnmatchedTerm(UnmatchedTerm.What.OWN, name, EventValues.FIELDS + name)
                : unmatched(name))
        .toList();
  }

  /** Returns true for the name of a value of the event itself that a field has, too. */
  boolean isOwnToo(String name) {
    return EventValues.OWN.contains(name) && values.contains(name);
  }

  /** Returns the names to choose from when one is lacking. */
  Collection<String> known() {
    Set<String> all = new TreeSet<>(values);
    all.addAll(EventValues.OWN);
    return all;
  }
}
