using Shop.Api;
using Shop.Api.Endpoints;
using Shop.Services;

var registry = new Registry().AddShop();
var router = new Router();

Seed.Fill(registry);
router.Map(new OrdersEndpoint(registry.Get<IOrderService>(), registry));
router.Map(new ProductsEndpoint(registry));
Console.WriteLine(router.Handle(args));
