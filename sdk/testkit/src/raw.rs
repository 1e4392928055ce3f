//! The table as the plugin's memory holds it, read field by field and believed as far as it can be.
//!
//! In: the pointer that an entry gave. Out: fields by value. Never: follows a count or stride that cannot be.

use std::mem::{align_of, offset_of};

use promptweave_abi::{Item, Plugin, Str};

/// The most items, and the most texts of a list.
const MAX_COUNT: u32 = 1024;
/// The least that is read of either struct.
const PLUGIN_BYTES: usize = offset_of!(Plugin, reserved);
const ITEM_BYTES: usize = offset_of!(Item, reserved);

/// A table whose sizes and counts can be.
pub(crate) struct Raw {
    table: *const Plugin,
}

impl Raw {
    /// A sentence says what cannot be.
    pub(crate) fn new(table: *const Plugin) -> Result<Self, String> {
        if table.is_null() || !table.is_aligned() {
            return Err("its entry gives no table".into());
        }
        // SAFETY: not null and aligned; the size is the first field of every table.
        let size = unsafe { (*table).struct_size } as usize;
        if size < PLUGIN_BYTES {
            return Err(format!("its table has {size} bytes, less than {PLUGIN_BYTES}"));
        }
        let raw = Self { table };
        raw.items_can_be()?;
        for item in raw.items() {
            raw.item_can_be(item)?;
        }
        Ok(raw)
    }

    fn items_can_be(&self) -> Result<(), String> {
        let head = self.head();
        let (count, stride) = (head.items_count, head.items_stride as usize);
        if count > MAX_COUNT {
            return Err(format!("it has {count} items, more than {MAX_COUNT}"));
        }
        if count > 0 && (head.items.is_null() || !head.items.is_aligned()) {
            return Err(format!("it has {count} items at no address"));
        }
        if count > 0 && (stride < ITEM_BYTES || !stride.is_multiple_of(align_of::<Item>())) {
            return Err(format!("its items lie {stride} bytes apart, which cannot be"));
        }
        Ok(())
    }

    fn item_can_be(&self, item: *const Item) -> Result<(), String> {
        // SAFETY: `items_can_be` saw to the pointer, and the stride covers what is read.
        let item = unsafe { read(item, size_of::<Item>().min(self.head().items_stride as usize)) };
        let size = item.struct_size;
        if (size as usize) < ITEM_BYTES || size > self.head().items_stride {
            return Err(format!("an item says that it has {size} bytes"));
        }
        for (first, count) in [(item.deps, item.deps_count), (item.sections, item.sections_count)] {
            if count > MAX_COUNT || count > 0 && (first.is_null() || !first.is_aligned()) {
                return Err(format!("an item has a list of {count} texts at no address"));
            }
        }
        Ok(())
    }

    /// The table by value; fields that it does not reach are zero.
    pub(crate) fn head(&self) -> Plugin {
        // SAFETY: `new` saw to the pointer; no more is read than the table says that it has.
        unsafe { read(self.table, (*self.table).struct_size as usize) }
    }

    fn items(&self) -> impl Iterator<Item = *const Item> + use<> {
        let head = self.head();
        // SAFETY: the table says that so many items lie there, so far apart.
        (0..head.items_count as usize)
            .map(move |at| unsafe { head.items.byte_add(at * head.items_stride as usize) })
    }

    /// The items by value; fields that they do not reach are zero.
    pub(crate) fn items_by_value(&self) -> Vec<Item> {
        // SAFETY: `new` has looked at each; no more is read than it says that it has.
        self.items().map(|item| unsafe { read(item, (*item).struct_size as usize) }).collect()
    }
}

/// The texts of a list that [`Raw`] has looked at.
pub(crate) fn list(first: *const Str, count: u32) -> Vec<Str> {
    // SAFETY: not null and aligned where there are any; the count is the plugin's promise.
    (0..count as usize).map(|at| unsafe { *first.add(at) }).collect()
}

/// The bytes of a text, or why there are none.
pub(crate) fn bytes<'a>(text: Str) -> Result<&'a [u8], String> {
    if !text.is_plausible() {
        return Err(format!("has {} bytes at no address", text.len));
    }
    // SAFETY: plausible, and the contract says that the table's texts can be read.
    Ok(unsafe { text.as_bytes() })
}

/// Copies a struct that may be shorter than `T`; what is missing is zero.
///
/// # Safety
/// `size` bytes can be read at `from`, and zero is a value of each field.
unsafe fn read<T: Copy>(from: *const T, size: usize) -> T {
    let mut whole = std::mem::MaybeUninit::<T>::zeroed();
    let size = size.min(size_of::<T>());
    // SAFETY: the caller's promise; both structs are plain numbers and pointers, for which zero is a value.
    unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), whole.as_mut_ptr().cast(), size);
        whole.assume_init()
    }
}
