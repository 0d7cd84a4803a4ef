package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaSource;
import io.ntrail.formats.schema.StatusCodes;
import io.ntrail.formats.schema.ValueMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Texts beside numbers: names of codes and flags, dates, names of files. */
public final class ValueDescriptions {
  private final Machine machine;
  private final StatusCodes codes;

  ValueDescriptions(Machine machine, StatusCodes codes) {
    this.machine = machine;
    this.codes = codes;
  }

  /**
   * The text of a value beside its number.
   *
   * @param key the time of its event
   * @return null if it has none
   */
  @Nullable String of(Payload payload, int token, long key) {
    Field field = payload.field(token);
    ValueMap map = field.map();
    if (map != null) {
      return map.text(payload.integer(token));
    }
    return switch (field.out()) {
      case NTSTATUS -> codes.ntStatus((int) payload.integer(token));
      case WIN32_ERROR -> codes.win32((int) payload.integer(token));
      case HRESULT -> codes.hresult((int) payload.integer(token));
      case UNIX_TIME -> {
        long seconds = payload.integer(token);
        yield seconds == 0 ? null : FileTime.text(FileTime.ofUnixSeconds(seconds));
      }
      case FILE_KEY -> {
        String name = machine.files().at(payload.integer(token), key);
        yield name == null ? null : machine.volumes().path(name);
      }
      default -> null;
    };
  }

  /**
   * Returns the name of the text beside a value: {@code StatusText}; for file keys {@code
   * FileName}.
   *
   * @return null if its values have no text beside them
   */
  public static @Nullable String besideName(Field field) {
    if (!hasText(field)) {
      return null;
    }
    return field.map() == null && field.out() == OutType.FILE_KEY ? "FileName" : field.textName();
  }

  /** Returns true if values of a field may have a text beside them. */
  static boolean hasText(Field field) {
    if (field.map() != null) {
      return true;
    }
    return switch (field.out()) {
      case NTSTATUS, WIN32_ERROR, HRESULT, UNIX_TIME, FILE_KEY -> true;
      default -> false;
    };
  }

  /** Returns true if a field is a code of a result, which people write without a sign as well. */
  static boolean isStatus(Field field) {
    return switch (field.out()) {
      case NTSTATUS, WIN32_ERROR, HRESULT -> true;
      default -> false;
    };
  }

  /** Returns true if a field is a number of ticks of the clock. */
  static boolean isTicks(Field field) {
    return field.out() == OutType.TICKS || field.out() == OutType.TICKS_SPAN;
  }

  /** Returns the name of the nanoseconds beside a value in ticks; null for others. */
  public static @Nullable String nanosName(Field field) {
    return isTicks(field) ? field.name() + "Nanos" : null;
  }

  /**
   * The names beside values that fields of the same structure have already: what is beside is left
   * out for the field's own value.
   */
  static Set<String> taken(List<Field> fields) {
    Set<String> names = fields.stream().map(Field::name).collect(Collectors.toSet());
    Set<String> taken = new HashSet<>();
    for (Field field : fields) {
      String text = besideName(field);
      String nanos = nanosName(field);
      if (text != null && !names.add(text)) {
        taken.add(text);
      }
      if (nanos != null && !names.add(nanos)) {
        taken.add(nanos);
      }
      taken.addAll(taken(field.members()));
    }
    return taken;
  }

  /**
   * A value as text: paths of the kernel with drive letters, all else as it is. Tables say which
   * fields are paths; in events that others described, device paths are taken for what they are.
   */
  String text(Schema schema, Payload payload, int token) {
    String text = payload.text(token);
    boolean path =
        payload.field(token).out() == OutType.PATH
            || schema.source() != SchemaSource.KERNEL && text.startsWith("\\Device\\");
    return path ? machine.volumes().path(text) : text;
  }
}
