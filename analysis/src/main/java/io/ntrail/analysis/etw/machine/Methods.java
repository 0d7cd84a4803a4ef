package io.ntrail.analysis.etw.machine;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Methods that the .NET runtime compiled, with their addresses and lifetimes: MethodLoad and
 * MethodUnload (141-144) of the runtime provider, MethodDCStart and MethodDCEnd of its rundown.
 *
 * <p>ModuleLoad and ModuleUnload (152, 153), and 153, 154 of the rundown, tell the path of what
 * methods were compiled of: u64 ModuleID, u64 AssemblyID, u32 flags, u32 0, then the path in
 * UTF-16.
 *
 * <p>The layout is the same for all of them (versions 0 to 2): u64 MethodID, u64 ModuleID, u64
 * start address, u32 size, u32 token, u32 flags, then in the verbose ones (143, 144) three strings
 * of UTF-16: class, method, signature.
 */
public final class Methods {
  private static final Guid RUNTIME = Guid.parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  private static final Guid RUNDOWN = Guid.parse("a669021c-c450-4609-a035-5af59af4df18");

  private static final int START_ADDRESS = 16;
  private static final int SIZE = 24;
  private static final int NAMES = 36;
  private static final int MODULE_ID = 8;
  private static final int MODULE_PATH = 24;

  /** Modules with paths, some hundred bytes each. */
  private static final int MOST_MODULES = 1 << 16;

  /** Names are cut to this many characters: generic classes can fill pages. */
  private static final int LONGEST = 1000;

  private static final long MOST_NAME_BYTES = 64L << 20;

  private final AddressRangeLifetimes lives = new AddressRangeLifetimes(Images.most());
  private final StringPool texts = new StringPool();
  private long[] places = new long[16];

  /** By name: the number of the module. */
  private int[] modules = new int[16];

  /** An id is one of a process. */
  private record ModuleKey(int process, long id) {}

  private final Map<ModuleKey, Integer> moduleNumbers = new HashMap<>();
  private final Map<ModuleKey, String> modulePaths = new HashMap<>();
  private final List<ModuleKey> moduleKeys = new ArrayList<>();
  private int names;
  private long leftOut;

  Methods() {}

  /** Notes a record if it tells of a method. */
  void visit(RecordCursor record, long key) {
    int id = record.id();
    boolean isModule = id >= 152 && id <= 154;
    if (!isModule && (id < 141 || id > 144)) {
      return;
    }
    boolean runtime =
        record.providerLow() == RUNTIME.low() && record.providerHigh() == RUNTIME.high();
    if (!runtime
        && !(record.providerLow() == RUNDOWN.low() && record.providerHigh() == RUNDOWN.high())) {
      return;
    }
    if (isModule) {
      // The rundown's 152 tells of a domain's module, the runtime's 154 of an assembly.
      if (id == 153 || id == (runtime ? 152 : 154)) {
        module(record);
      }
      return;
    }
    int length = record.payloadLength();
    if (length < NAMES) {
      return;
    }
    Bytes bytes = record.bytes();
    int at = record.payloadOffset();
    boolean first = id == 141 || id == 143;
    byte kind =
        runtime
            ? first ? Lifetimes.START : Lifetimes.END
            : first ? Lifetimes.RUNDOWN_START : Lifetimes.RUNDOWN_END;
    ModuleKey module = new ModuleKey(record.processId(), bytes.i64(at + MODULE_ID));
    int name = id >= 143 ? name(bytes, at + NAMES, at + length, module) : -1;
    lives.note(
        record.processId(), bytes.i64(at + START_ADDRESS), bytes.u32(at + SIZE), key, kind, name);
  }

  private void module(RecordCursor record) {
    int length = record.payloadLength();
    if (length <= MODULE_PATH || modulePaths.size() >= MOST_MODULES) {
      return;
    }
    Bytes bytes = record.bytes();
    int at = record.payloadOffset();
    int from = at + MODULE_PATH;
    int chars = Math.min(bytes.utf16Length(from, at + length), LONGEST);
    if (chars > 0) {
      ModuleKey key = new ModuleKey(record.processId(), bytes.i64(at));
      modulePaths.putIfAbsent(key, bytes.utf16(from, chars));
    }
  }

  private int name(Bytes bytes, int from, int end, ModuleKey module) {
    int classLength = bytes.utf16Length(from, end);
    int method = Math.min(end, from + 2 * classLength + 2);
    int methodLength = bytes.utf16Length(method, end);
    if (methodLength == 0) {
      return -1;
    }
    String text = bytes.utf16(method, Math.min(methodLength, LONGEST));
    if (classLength > 0) {
      text = bytes.utf16(from, Math.min(classLength, LONGEST)) + "." + text;
    }
    long place = texts.bytes() > MOST_NAME_BYTES ? -1 : texts.add(text);
    if (place < 0) {
      leftOut++;
      return -1;
    }
    return add(place, module);
  }

  private int add(long place, ModuleKey module) {
    if (names == places.length) {
      places = Arrays.copyOf(places, 2 * names);
      modules = Arrays.copyOf(modules, 2 * names);
    }
    places[names] = place;
    modules[names] =
        moduleNumbers.computeIfAbsent(
            module,
            key -> {
              moduleKeys.add(key);
              return moduleKeys.size() - 1;
            });
    return names++;
  }

  void addAll(Methods other) {
    int[] newNames = new int[other.names];
    for (int i = 0; i < newNames.length; i++) {
      long place = texts.add(other.texts.at(other.places[i]));
      newNames[i] = place < 0 ? -1 : add(place, other.moduleKeys.get(other.modules[i]));
    }
    lives.addAll(other.lives, newNames);
    other.modulePaths.forEach(modulePaths::putIfAbsent);
    leftOut += other.leftOut;
  }

  void settle(Lifetimes processes) {
    lives.settle(processes, (a, b) -> name(a).compareTo(name(b)));
  }

  AddressRangeLifetimes lives() {
    return lives;
  }

  /** The name of a method: class and method, without its signature. */
  String name(int number) {
    return texts.at(places[number]);
  }

  /** Path of the module that a method was compiled of; null if nobody tells it. */
  @Nullable String module(int number) {
    return modulePaths.get(moduleKeys.get(modules[number]));
  }

  /** How often a method was compiled, or found compiled. */
  public int count() {
    return lives.count();
  }

  long leftOut() {
    return lives.leftOut() + leftOut;
  }
}
