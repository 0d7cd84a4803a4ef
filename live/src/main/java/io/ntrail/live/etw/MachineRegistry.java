package io.ntrail.live.etw;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.registry.RegistryChanges;
import io.ntrail.formats.schema.StatusCodes;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.windows.WindowsApi;
import java.util.Optional;
import java.util.OptionalInt;

/** Registry of the Windows that an agent runs on, below HKEY_LOCAL_MACHINE. */
public final class MachineRegistry implements RegistryChanges, AutoCloseable {
  private static final String ROOT = "HKEY_LOCAL_MACHINE\\";

  /** HKEY_LOCAL_MACHINE, sign-extended as all predefined keys. */
  private static final long LOCAL_MACHINE = 0xFFFF_FFFF_8000_0002L;

  private static final int KEY_SET_VALUE = 2;
  private static final int STRING = 1;
  private static final int BINARY = 3;
  private static final int DWORD = 4;
  private static final int QWORD = 11;

  /** RRF_RT_REG_SZ, RRF_RT_REG_DWORD. */
  private static final int ONLY_STRING = 2;

  private static final int ONLY_DWORD = 0x10;
  private static final int FILE_NOT_FOUND = 2;
  private static final int ACCESS_DENIED = 5;

  /** Places in the scratch memory: a name, a second one, a cell, data. */
  private static final int NAME = 0;

  private static final int SECOND = 0x400;
  private static final int CELL = 0x800;
  private static final int DATA = 0x1000;

  /** Bytes of a text that is read. */
  private static final int MOST = 0x800;

  private final WindowsApi calls;
  private final Agent agent;
  private long key;

  /** Changes the registry through an agent. */
  public MachineRegistry(Agent agent) {
    this.agent = agent;
    this.calls = new WindowsApi(agent);
  }

  /** Returns a REG_DWORD; empty if there is none. */
  public OptionalInt find(String path, String name) {
    Optional<Bytes> value = read(path, name, ONLY_DWORD);
    return value.isPresent() && value.get().length() == Integer.BYTES
        ? OptionalInt.of((int) value.get().u32(0))
        : OptionalInt.empty();
  }

  /** Returns a REG_SZ of up to 1,023 characters; empty if there is none. */
  public Optional<String> text(String path, String name) {
    return read(path, name, ONLY_STRING).map(text -> text.utf16z(0, text.length()));
  }

  private Optional<Bytes> read(String path, String name, int type) {
    long size = put(CELL, new BytesBuilder(4).u32(MOST).toArray());
    int error =
        calls
            .call(
                "advapi32!RegGetValueW",
                LOCAL_MACHINE,
                text(NAME, below(path)),
                text(SECOND, name),
                type,
                0,
                agent.scratch() + DATA,
                size)
            .asInt();
    if (error == FILE_NOT_FOUND) {
      return Optional.empty();
    }
    check("RegGetValue", path, error);
    return Optional.of(agent.peek(agent.scratch() + DATA, (int) agent.peek(size, 4).u32(0)));
  }

  @Override
  public MachineRegistry key(String path) {
    close();
    long cell = put(CELL, new byte[Long.BYTES]);
    int error =
        calls
            .call(
                "advapi32!RegCreateKeyExW",
                LOCAL_MACHINE,
                text(NAME, below(path)),
                0,
                0,
                0,
                KEY_SET_VALUE,
                0,
                cell,
                0)
            .asInt();
    check("RegCreateKeyEx", path, error);
    key = agent.layout().pointer(agent.peek(cell, agent.layout().pointerBytes()), 0);
    return this;
  }

  @Override
  public MachineRegistry deleteKey(String path) {
    int error =
        calls.call("advapi32!RegDeleteTreeW", LOCAL_MACHINE, text(NAME, below(path))).asInt();
    if (error != FILE_NOT_FOUND) {
      check("RegDeleteTree", path, error);
    }
    return this;
  }

  @Override
  public MachineRegistry number(String name, int value) {
    return set(name, DWORD, new BytesBuilder(4).u32(value).toArray());
  }

  @Override
  public MachineRegistry wide(String name, long value) {
    return set(name, QWORD, new BytesBuilder(8).u64(value).toArray());
  }

  @Override
  public MachineRegistry string(String name, String value) {
    return set(name, STRING, new BytesBuilder(64).utf16z(value).toArray());
  }

  @Override
  public MachineRegistry binary(String name, byte[] value) {
    return set(name, BINARY, value);
  }

  private MachineRegistry set(String name, int type, byte[] value) {
    int error =
        calls
            .call(
                "advapi32!RegSetValueExW",
                key,
                text(NAME, name),
                0,
                type,
                put(DATA, value),
                value.length)
            .asInt();
    check("RegSetValueEx", name, error);
    return this;
  }

  @Override
  public MachineRegistry deleteValue(String name) {
    int error = calls.call("advapi32!RegDeleteValueW", key, text(NAME, name)).asInt();
    if (error != FILE_NOT_FOUND) {
      check("RegDeleteValue", name, error);
    }
    return this;
  }

  private static String below(String path) {
    if (!path.startsWith(ROOT)) {
      throw new IllegalArgumentException(path);
    }
    return path.substring(ROOT.length());
  }

  private long put(int at, byte[] bytes) {
    agent.poke(agent.scratch() + at, bytes);
    return agent.scratch() + at;
  }

  private long text(int at, String text) {
    return put(at, new BytesBuilder(64).utf16z(text).toArray());
  }

  private static void check(String call, String where, int error) {
    if (error == 0) {
      return;
    }
    String name = new StatusCodes().win32(error);
    String told =
        "the registry cannot be changed at %s (%s: %d%s)"
            .formatted(where, call, error, name == null ? "" : ", " + name);
    throw error == ACCESS_DENIED
        ? CannotGoOn.impossible(told, "open a terminal with \"Run as administrator\" and try again")
        : new CannotGoOn(told, "");
  }

  @Override
  public void close() {
    if (key != 0) {
      calls.call("advapi32!RegCloseKey", key);
      key = 0;
    }
  }
}
