package io.ntrail.formats.registry;

/** Changes of keys and values in the registry, in their order: of a file for it, or at once. */
public interface RegistryChanges {
  /** Goes to a key with its full path; values that follow are in it, and it is made if missing. */
  RegistryChanges key(String path);

  /** Deletes a key with all that is in it; no error if there is none. */
  RegistryChanges deleteKey(String path);

  /** Sets a REG_DWORD. */
  RegistryChanges number(String name, int value);

  /** Sets a REG_QWORD. */
  RegistryChanges wide(String name, long value);

  /** Sets a REG_SZ. */
  RegistryChanges string(String name, String value);

  /** Sets a REG_BINARY. */
  RegistryChanges binary(String name, byte[] value);

  /** Deletes a value; no error if there is none. */
  RegistryChanges deleteValue(String name);
}
