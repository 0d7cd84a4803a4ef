package io.ntrail.programs.services;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * One system service.
 *
 * @param index what the source counts by: the number of the service where it is read from stubs
 *     (bits 0 to 11 its place, bits 12 and 13 the table: 0 of the kernel, 1 of win32k), its place
 *     in the table where it is read from KiServicesTab
 * @param hash {@link ServiceNameHash} of its name; empty if the name is not that of a service
 * @param arguments how many it takes; empty if the source does not say
 * @param rva where the stub, or in a kernel the service itself, begins
 * @param name with {@code Nt}; of a stub that is exported under another name, that one; null if
 *     nobody knows it
 */
public record SystemService(
    int index, OptionalInt hash, OptionalInt arguments, long rva, @Nullable String name) {}
