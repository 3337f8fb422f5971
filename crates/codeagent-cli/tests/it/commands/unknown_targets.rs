//! Calls of a flow whose target the index does not know, and what shows where they lead.

use super::Shop;

#[test]
fn a_function_taken_out_of_a_call_is_named_with_it() {
    let item = "import { useMutation } from \"query\";
export function useDelete() { return useMutation({}); }
export function item(other: () => void) {
  const { mutate: deleteItem } = useDelete();
  const [send] = useMutation({});
  const press = () => { deleteItem(1); send(); other(); };
  return press;
}
";
    let shop = Shop::with(&[("web/item.ts", item)]);
    let text = shop.stdout(&["explore", "what happens when `item` runs?"]);
    assert!(
        text.contains("  6 deleteItem() from useDelete() (unknown target)\n")
            && text.contains("  6 send() from useMutation() (unknown target)\n")
            && !text.contains("6 other"),
        "{text}"
    );
}

#[test]
fn a_type_argument_leads_to_the_class_that_is_registered_for_it() {
    let code = "using Absent;
interface IStore { void Put(); }
interface IClock { }
class Store : IStore { public void Put() {} }
class OldStore : IStore { public void Put() {} }
class Clock : IClock { }
class Start { void Add(IServiceCollection services) { services.AddScoped<IStore, Store>(); } }
class Use {
  IHost host;
  void Run() {
    var store = host.Services.GetRequiredService<IStore>();
    var clock = host.Services.GetRequiredService<IClock>();
    host.Services.GetRequiredService<IHost>();
  }
}
";
    let shop = Shop::with(&[("src/Use.cs", code)]);
    let text = shop.stdout(&["explore", "what happens when Use.Run runs?"]);
    for expected in [
        "  11 host.Services.GetRequiredService<IStore> -> Store (registered at src/Use.cs:7)\n",
        "  12 host.Services.GetRequiredService<IClock> -> Clock\n",
        "  13 host.Services.GetRequiredService (unknown target)\n",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}
