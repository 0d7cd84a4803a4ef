package io.ntrail.formats.schema;

import io.ntrail.formats.schema.EventInfo.Property;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fields out of the properties of an {@link EventInfo}. Structures name a range of properties as
 * their members, and nothing keeps a writer from naming ranges that overlap or contain themselves:
 * depth and number of fields are bounded.
 */
final class EventInfoFields {
  private final EventInfo info;
  private final EventInfo.Maps maps;
  private final Map<Integer, Integer> slots = new HashMap<>();

  /** Number of fields that may still be made; an honest description needs one per property. */
  private int left;

  EventInfoFields(EventInfo info, EventInfo.Maps maps) {
    this.info = info;
    this.maps = maps;
    this.left = 2 * info.properties().size() + 64;
    for (Property property : info.properties()) {
      if (property.is(Property.COUNT_IS_PROPERTY)) {
        slotOf(property.count());
      }
      if (property.is(Property.LENGTH_IS_PROPERTY) && !property.is(Property.STRUCT)) {
        slotOf(property.length());
      }
    }
  }

  private void slotOf(int property) {
    slots.putIfAbsent(property, slots.size());
  }

  List<Field> fields() {
    List<Field> fields = new ArrayList<>();
    range(fields, 0, info.topLevel(), 0);
    return fields;
  }

  /** False if not all of them make sense: what comes after cannot be found in a payload. */
  private boolean range(List<Field> fields, int first, int count, int depth) {
    for (int i = first; i < first + count; i++) {
      if (i >= info.properties().size() || left-- <= 0) {
        return false;
      }
      if (!add(fields, i, depth)) {
        return false;
      }
    }
    return true;
  }

  private boolean add(List<Field> fields, int index, int depth) {
    Property property = info.properties().get(index);
    LengthSpec count = count(property);
    if (property.is(Property.STRUCT)) {
      if (depth == Schema.MAX_DEPTH) {
        return false;
      }
      List<Field> members = new ArrayList<>();
      boolean all = range(members, property.in(), property.out(), depth + 1);
      fields.add(Field.struct(property.name(), members).count(count));
      return all;
    }
    if (!InType.isTdh(property.in())) {
      return false;
    }
    InType in = InType.ofTdh(property.in());
    if (in == InType.STRUCT) {
      return false;
    }
    Field field =
        Field.of(property.name(), in)
            .out(OutType.ofTdh(property.out()))
            .count(count)
            .length(length(property, in))
            .map(map(property.map()));
    Integer slot = slots.get(index);
    fields.add(slot == null ? field : field.slot(slot));
    return true;
  }

  private @Nullable ValueMap map(@Nullable String name) {
    return name == null ? null : maps.get(info.provider(), name);
  }

  private LengthSpec count(Property property) {
    if (property.is(Property.COUNT_IS_PROPERTY)) {
      return LengthSpec.slot(slots.getOrDefault(property.count(), 0));
    }
    return property.is(Property.FIXED_COUNT) || property.count() > 1
        ? LengthSpec.fixed(property.count())
        : LengthSpec.NONE;
  }

  private LengthSpec length(Property property, InType in) {
    if (in != InType.UNICODE_STRING && in != InType.ANSI_STRING && in != InType.BINARY) {
      return LengthSpec.NONE;
    }
    if (property.is(Property.LENGTH_IS_PROPERTY)) {
      return LengthSpec.slot(slots.getOrDefault(property.length(), 0));
    }
    return property.length() == 0 ? LengthSpec.NONE : LengthSpec.fixed(property.length());
  }
}
